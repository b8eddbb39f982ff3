"""The exit codes of commands, beside 0."""

import signal

USER_ERROR = 2  # what the user can mend; nothing is written
DUE = 2  # of `check`, and of `pack`: something is to be done
CONFLICTS = 3  # of `update`, `edit` and `check`: conflicts are to be settled
INTERRUPTED = 128 + signal.SIGINT
