#!/usr/bin/env bash
# Train on this machine: launch/local.sh [group.key=value ...]

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec python -m pydoc_lm.train "$@"
