"""The screens of a recording; without a name, of what the recorder of this machine has recorded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from zmon.cli import live
from zmon.recorder.lock import own_directory, recorder_here

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """Open the recording and stay until the user leaves; returns the exit status."""
    if args.source is None:
        recorder = recorder_here(os.environ)
        args.source = recorder.directory if recorder is not None else own_directory(os.environ)
    return live.run(args)
