"""Each device has the one head of keys and values."""

from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, distribute_module
from torch.distributed.tensor.parallel import ParallelStyle


# {% macro classes() %}
class ReplicatedLinear(ParallelStyle):
    """A projection that each device has whole, for the query heads that it has.

    Its gradient is the sum over the devices, each of which knows what its own heads ask for.
    """

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        distribute_module(module, device_mesh)
        module.register_forward_hook(self._to_local)
        return module

    @staticmethod
    def _to_local(_module: nn.Module, _inputs: object, output: DTensor) -> Tensor:
        return output.to_local(grad_placements=[Partial()])


# {% endmacro %}
def layer_styles():
    return {
        # {% macro key_value_styles() %}
        "attention.wk": ReplicatedLinear(),
        "attention.wv": ReplicatedLinear(),
        # {% endmacro %}
    }
