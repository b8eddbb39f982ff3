"""The balance joins the loss."""

from .balance import with_balance


# {% macro joined() %}
@with_balance
# {% endmacro %}
def summed_loss(model, batch):
    return model, batch
