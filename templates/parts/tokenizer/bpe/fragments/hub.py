"""transformers reads the file of the tokenizer."""

from .tokenizer import load_tokenizer


def _export(config, run_dir, folder):
    # {% macro read_tokenizer() %}
    tokenizer = load_tokenizer(run_dir, config.data)  # before anything is written
    # {% endmacro %}
    # {% macro write_tokenizer() %}
    tokenizer.save(folder)
    ends = {"eos_token": "<|endoftext|>", "tokenizer_class": "PreTrainedTokenizerFast"}
    _write_json(folder / "tokenizer_config.json", ends)
    # {% endmacro %}
