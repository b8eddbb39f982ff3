"""The output matrix is another than that of the embeddings."""


def settings():
    return {
        # {% macro settings() %}
        "tie_word_embeddings": False,
        # {% endmacro %}
    }


def tensor_names():
    return {
        # {% macro names() %}
        "output.weight": "lm_head.weight",
        # {% endmacro %}
    }
