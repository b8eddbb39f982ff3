"""Packs: a team's parts, files, presets and policy, laid over the templates of the tool.

A pack is data: declarations, and templates that Jinja's sandbox renders. Nothing of it is run.
"""

from scaffold.packs.load import Loaded, load, load_locked, make_tree

__all__ = ["Loaded", "load", "load_locked", "make_tree"]
