"""Nobody shares tokens."""


def test_ranks(monkeypatch):
    # {% macro alone() %}
    monkeypatch.setenv("CONTEXT_RANKS", "1")
    # {% endmacro %}
