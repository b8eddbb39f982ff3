"""A short text, prepared for the small model."""

from package.config import load_config
from package.prepare import prepare


def config(tmp_path, model_config, overrides, CONFIG_FILE):
    # {% macro prepare() %}
    (tmp_path / "text.txt").write_text(" ".join(str(number) for number in range(2000)))
    overrides += [f"data.text={tmp_path / 'text.txt'}", f"data.prepared_dir={tmp_path / 'tokens'}"]
    prepare(load_config(["--config", str(CONFIG_FILE), *overrides]).data, model_config)
    # {% endmacro %}
