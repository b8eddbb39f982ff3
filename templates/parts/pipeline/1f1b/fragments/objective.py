"""The last stage has losses."""

from .stage import Stage, hand_on, receive_inputs


def evaluate_batch(model, batch):
    # {% macro filled() %}
    if isinstance(model, Stage):
        batch = receive_inputs(model, batch)
        if not model.is_last:
            hand_on(model(batch.inputs))
            return {}
    # {% endmacro %}
    return batch
