"""The run may have ended before its last step."""


def describe_start(progress, values):
    if progress.is_finished(values):
        # {% macro complete() %}
        if progress.step < values.steps:
            return (
                f"{values.run_dir} ended early, after step {progress.step}; raise train.patience,"
                " or give another train.run_dir"
            )
        # {% endmacro %}
