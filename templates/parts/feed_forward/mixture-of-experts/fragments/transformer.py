"""Each token goes through a few of many networks."""

from .router import Router


class Model:
    def init_weights(self):
        # {% macro init_buffers() %}
        for module in self.modules():
            if isinstance(module, Router):
                for buffer in module.buffers():
                    buffer.zero_()
        # {% endmacro %}

    def flops_per_token(self, products):
        # {% macro flops() %}
        # A token goes through top_k of the n_experts networks of a layer: the others cost nothing.
        n_routers = sum(isinstance(module, Router) for module in self.modules())
        idle = n_routers * (self.config.n_experts - self.config.top_k)
        products -= 2 * idle * 3 * self.config.dim * self.config.hidden_dim
        # {% endmacro %}
        return products
