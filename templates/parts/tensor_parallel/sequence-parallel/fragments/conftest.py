"""Two ranks share each matrix, however many do in a run."""


def config():
    return {
        # {% macro variables() %}
        "TENSOR_RANKS": 2,
        # {% endmacro %}
    }
