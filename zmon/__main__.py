"""`python3 -m zmon` is `zmon`."""

import sys

from zmon.cli.main import main

sys.exit(main())
