"""The output matrix is that of the embeddings."""


def settings():
    return {
        # {% macro settings() %}
        "tie_word_embeddings": True,
        # {% endmacro %}
    }


def tensor_names():
    return {
        # {% macro names() %}
        # {% endmacro %}
    }
