"""One stage, however many a run has, but in the tests of the stages."""


def config():
    return {
        # {% macro variables() %}
        "PIPELINE_STAGES": 1,
        # {% endmacro %}
    }
