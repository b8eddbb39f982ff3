"""torchrun that ends as its processes did: python -m {{package}}.launcher [torchrun's arguments].

torchrun exits with 1 whatever happened. Schedulers need to know more: a run that was asked to stop
is started again and goes on from its checkpoint, one that failed is looked at.
"""

import sys
from collections.abc import Sequence

from torch.distributed import run
from torch.distributed.elastic.multiprocessing import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

from .signals import EXIT_STOPPED


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the processes and wait for them; returns the exit code of the first that ended badly.

    75 if the launcher itself was asked to stop: it has passed that on and waited for them to save.
    1 if a process was killed.
    """
    try:
        run.main(sys.argv[1:] if arguments is None else list(arguments))
    except SignalException:
        return EXIT_STOPPED
    except ChildFailedError as error:
        print(error, file=sys.stderr)
        _, first = error.get_first_failure()
        return max(int(first.exitcode), 1)  # negative after a signal
    return 0


if __name__ == "__main__":
    sys.exit(main())
