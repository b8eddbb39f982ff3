"""``scaffold check``: whether a project is what its scaffold.yaml says, for people and for CI."""

import argparse
import os
from dataclasses import asdict
from pathlib import Path

from scaffold import exit_codes, transaction
from scaffold.applied import find_project, read_project_lock
from scaffold.findings import DUE, find_all
from scaffold.packs import load_locked
from scaffold.report import table_text, to_json
from scaffold.streams import tell


def run(arguments: argparse.Namespace) -> int:
    """Lists what differs; exit code 0, 2 where an update is due, 3 where conflicts are left."""
    project = find_project(Path(arguments.project))
    if os.path.lexists(project / transaction.ACTIVE):
        with transaction.only_writer(project):
            pass  # which takes back what a killed update had begun
    lock = read_project_lock(project)
    loaded = load_locked(lock.packs, project, pinned=True, may_fetch=arguments.fetch)
    findings = find_all(loaded.catalogue, lock, project)
    kinds = {finding.kind for finding in findings}
    code = exit_codes.CONFLICTS if "conflict" in kinds else exit_codes.DUE if kinds & {*DUE} else 0
    if arguments.json:
        document = {"code": code, "findings": [asdict(finding) for finding in findings]}
        tell(to_json(document))
    else:
        if findings:
            tell(table_text([(f.kind, f.subject, f.text) for f in findings]))
        words = {
            0: "The project is up to date.",
            exit_codes.DUE: "An update is due.",
            exit_codes.CONFLICTS: "",
        }
        tell(f"{words[code] or 'Conflicts are to be settled.'}\n")
    return code
