"""`python -m reviewer`."""

import sys

try:
    from reviewer.cli import main
except KeyboardInterrupt:
    sys.exit(130)

sys.exit(main())
