"""Forward, backward and update in float32."""

import math

from .objective import summed_loss


def train_step(state, model, optimizer, batches, targets, mean_loss, grad_norm):
    for batch in batches:
        # {% macro accumulate() %}
        micro_loss = summed_loss(model, batch) / targets
        micro_loss.backward()
        # {% endmacro %}
    # {% macro before_clip() %}
    # {% endmacro %}
    # {% macro apply() %}
    finite = math.isfinite(mean_loss) and math.isfinite(grad_norm)
    # {% print each.spike() %}
    if finite:
        optimizer.step()
    # {% endmacro %}
