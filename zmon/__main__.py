"""`python3 -m zmon` is `zmon`."""

import sys

from zmon.cli.main import run_process

sys.exit(run_process())
