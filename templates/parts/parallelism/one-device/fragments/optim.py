"""Matrices are whole."""

from torch.optim import Muon

# {% macro orthogonalize() %}
# {% endmacro %}


def build_optimizer(hidden, config):
    # {% macro muon() %}
    muon = Muon([hidden], lr=config.muon_learning_rate, momentum=config.muon_momentum)
    # {% endmacro %}
    return muon
