"""Traced in full, but without the wait for a compiler."""


def config():
    return [
        # {% macro test_values() %}
        "train.compile_backend=aot_eager",
        # {% endmacro %}
    ]
