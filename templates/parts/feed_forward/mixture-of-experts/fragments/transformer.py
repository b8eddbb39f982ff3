"""Each token goes through a few of many networks.

# {% macro summary() %}
- Mixture of experts: a router chooses a few SwiGLU networks for each token (arXiv:2401.04088).
# {% endmacro %}
"""

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
        # {% macro fewer_products() %}
        # A token goes through top_k of the n_experts networks of a layer: the others cost nothing.
        idle = self.config.n_layers * (self.config.n_experts - self.config.top_k)
        products -= 2 * idle * 3 * self.config.dim * self.config.hidden_dim
        # {% endmacro %}
        return products
