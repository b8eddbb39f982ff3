"""Nobody shares matrices."""


def test_ranks(monkeypatch):
    # {% macro alone() %}
    monkeypatch.setenv("TENSOR_RANKS", "1")
    # {% endmacro %}
