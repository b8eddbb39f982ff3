"""What ``scaffold pack init`` writes: a small pack that works, to be changed."""

from collections.abc import Mapping

from scaffold.modes import PLAIN
from scaffold.render import RenderedFile, Tree

FILES: Mapping[str, str] = {
    "pack.yaml": """\
id: {id}
version: "0.1.0"
title: The standard of our team
scaffold: ">=0.1,<2"
policy:
  precision:
    locked: bfloat16
    reason: every device of ours has units for it
  schedule:
    default: wsd
    reason: runs are continued for longer more often than not
  training.batch_size:
    maximum: 1024
    reason: larger ones have not helped us
extend:
  launch/slurm:
    options:
      qos:
        type: str
        default: normal
        help: the quality of service that jobs are queued with
        reason: the one that all of us may use
    provides:
      commands:
        - run: launch/submit.sh
          does: train on a Slurm cluster, with the team's quality of service
      files:
        submit.sh: queues the training, with the team's quality of service
""",
    "parts/launch/slurm/files/launch/submit.sh.jinja": """\
#!/usr/bin/env bash
# Submit the training to the team's queue: launch/submit.sh [group.key=value ...]
set -euo pipefail
exec sbatch --qos={{{{ design.launch.qos }}}} launch/slurm.sh "$@"
""",
    "presets/team.yaml": """\
preset:
  title: a first run of the team
  help: a small language model, on the cluster
task: {{variant: language-model, dim: 512, n_layers: 8, n_heads: 8}}
launch: slurm
""",
    "README.md": """\
# {id}

    scaffold pack check .
    scaffold new ../my-run --pack . --preset team
""",
}


def starter(pack_id: str) -> Tree:
    """The files of a new pack."""
    return {
        path: RenderedFile(text.format(id=pack_id).encode(), PLAIN) for path, text in FILES.items()
    }
