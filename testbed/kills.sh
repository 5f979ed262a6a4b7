#!/bin/bash
# Kill a recorder again and again, and read what it leaves, as tests/store/test_killed.py does; twenty minutes.
#
#   testbed/boot.py --machine qemu --timeout 3600 --bring tests --bring testbed/kills.sh -- bash kills.sh [KILLS]
set -eu
cd /job
mkdir -p kept
ZMON_TEST_KILLS=${1:-200} python3 - <<'END'
import platform
from pathlib import Path

from tests.store.test_killed import (
    KILLS,
    Recording,
    days,
    test_nothing_that_was_said_to_be_safe_is_lost_however_often_the_recorder_is_killed as kill,
)

kill(Path("kept"))
samples = sum(len(Recording(day.path)) for day in days("kept").days)
print(f"{KILLS} kills on {platform.machine()}: {samples:,} samples, none lost, none changed")
END
