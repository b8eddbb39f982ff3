"""A rank has some of the layers."""

from .stage import new_stage


def dry_run(model_config):
    # {% macro model() %}
    model = new_stage(model_config)
    # {% endmacro %}
    return Report(
        # {% macro total() %}
        total_parameters=model.total_parameters,
        # {% endmacro %}
    )
