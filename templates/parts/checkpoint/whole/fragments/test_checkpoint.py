"""Where the weights are."""

# {% macro weights_file() %}
WEIGHTS = "model.pt"
# {% endmacro %}
