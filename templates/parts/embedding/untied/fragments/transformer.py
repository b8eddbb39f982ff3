"""The output matrix is another than that of the embeddings."""

from torch import Tensor, nn


class Model:
    def __init__(self, config):
        # {% macro modules() %}
        self.output = nn.Linear(config.dim, self.tok_embeddings.num_embeddings, bias=False)
        # {% endmacro %}
        self.config = config

    def forward(self, x):
        # {% macro logits() %}
        logits: Tensor = self.output(self.norm(x))
        # {% endmacro %}
        return logits
