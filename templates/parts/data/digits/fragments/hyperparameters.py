"""The shape of the images."""


class ModelConfig:
    # {% macro fields() %}
    image_size: int = 8  # height and width of an image, in pixels
    n_channels: int = 1  # values of a pixel: one, the brightness
    n_classes: int = 10  # the digits
    # {% endmacro %}
