"""Measurements behind the numbers in docs/benchmarks.md: ``python -m benchmarks [name]``."""
