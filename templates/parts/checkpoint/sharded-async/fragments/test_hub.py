"""The run's weights are read when they have been written."""


def test_a_run_begins_with_imported_weights(again):
    # {% macro saved() %}
    again.wait()
    # {% endmacro %}
