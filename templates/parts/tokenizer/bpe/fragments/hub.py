"""transformers reads the file of the tokenizer."""

from .tokenizer import load_tokenizer


def _export(config, folder):
    # {% macro write_tokenizer() %}
    load_tokenizer(config.data).save(folder)
    ends = {"eos_token": "<|endoftext|>", "tokenizer_class": "PreTrainedTokenizerFast"}
    _write_json(folder / "tokenizer_config.json", ends)
    # {% endmacro %}
    return config, folder
