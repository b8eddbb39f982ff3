"""The model package of a design, rendered and imported, for tests of single parts."""

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from rendering import render_answers

from scaffold.catalogue import Catalogue
from scaffold.design import Value
from scaffold.estimates import Estimates

CPU = torch.device("cpu")


@dataclass(frozen=True)
class ModelPackage:
    """The model package of a design, and what the design is said to cost."""

    module: ModuleType
    estimates: Estimates

    def submodule(self, name: str) -> Any:
        """One file of the package."""
        return importlib.import_module(f"{self.module.__name__}.{name}")

    def config(self, **sizes: int) -> Any:
        """The configuration of the design with other sizes."""
        return replace(self.module.ModelConfig(), **sizes)

    def build(self, **sizes: int) -> Any:
        """The model with weights large enough that every part of it shows in the output."""
        model = self.module.build_model(self.config(**sizes), CPU, 0)
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for weight in model.parameters():
                weight.add_(torch.randn(weight.shape, generator=generator), alpha=0.2)
        return model


def import_model(
    catalogue: Catalogue, folder: Path, package: str, answers: Mapping[str, Value]
) -> ModelPackage:
    """Render a whole package below ``folder``, beside others, and import its model."""
    rendering = render_answers(catalogue, {"project.package": package, **answers})
    for path, text in rendering.texts(f"src/{package}/", ".py").items():
        target = folder / path.removeprefix("src/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    module = importlib.import_module(f"{package}.model")
    return ModelPackage(module, rendering.plan.estimates)
