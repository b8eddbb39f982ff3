"""transformers has no tokenizer of plain bytes."""


def _export(config, folder):
    # {% macro read_tokenizer() %}
    # {% endmacro %}
    # {% macro write_tokenizer() %}
    # {% endmacro %}
    return config, folder
