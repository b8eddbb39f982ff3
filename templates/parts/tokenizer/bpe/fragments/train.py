"""What tokens mean is kept with the weights."""

from pathlib import Path

from .tokenizer import keep_tokenizer


def train(config, values):
    # {% macro prepare() %}
    keep_tokenizer(Path(values.run_dir), config.data)
    # {% endmacro %}
    return config
