"""The routers begin without loads and preferences."""

from .router import Router


def init_weights(model):
    # {% macro init_buffers() %}
    for module in model.modules():
        if isinstance(module, Router):
            for buffer in module.buffers():
                buffer.zero_()
    # {% endmacro %}
