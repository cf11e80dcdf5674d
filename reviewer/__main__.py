"""`python -m reviewer`."""

import sys

try:
    from reviewer.cli import run
except KeyboardInterrupt:
    sys.exit(130)

run()
