"""Forward in float16 with a scaled loss, update in float32."""

import math

import torch

from .objective import summed_loss


def train_step(state, model, optimizer, batches, targets, mean_loss, grad_norm):
    for batch in batches:
        # {% macro accumulate() %}
        with torch.autocast(targets.device.type, dtype=torch.float16):
            micro_loss = summed_loss(model, batch) / targets
        state.scaler.scale(micro_loss).backward()
        # {% endmacro %}
    # {% macro before_clip() %}
    state.scaler.unscale_(optimizer)  # so that the limit applies to the true gradients
    # {% endmacro %}
    # {% macro apply() %}
    # The scaler leaves out a step whose gradients overflow and halves the scale: that is its way of
    # finding one, and no fault. Under 1, the gradients themselves are not finite. The host reads
    # the scale, but it is worked out by now: nothing waits.
    finite = math.isfinite(mean_loss) and state.scaler.get_scale() >= 1.0
    # {% print each.spike() %}
    if finite:
        state.scaler.step(optimizer)
        state.scaler.update()
    else:
        state.scaler.update(state.scaler.get_scale())  # as it was; it forgets that it unscaled
    # {% endmacro %}
