"""Every rule of zmon that makes exceptions has an alert, and Prometheus takes the file."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from zmon.exposition.alert_rules import alert_rules
from zmon.exposition.metric import METRICS
from zmon.rule.grammar import load_rules

if TYPE_CHECKING:
    from pathlib import Path

PROMTOOL = shutil.which("promtool")


def test_each_level_of_each_rule_has_an_alert() -> None:
    """By the name that `zmon_exception` has; each metric that is asked for is exported."""
    text = alert_rules(load_rules())
    for rule in load_rules():
        for word, limit in (("look", rule.look), ("bad", rule.bad)):
            wanted = f'rule=\\"{rule.name}\\",severity=\\"{word}\\"'
            assert (wanted in text) == (rule.logs and limit is not None)
    asked = {
        name for line in text.splitlines() if "expr:" in line for name in re.findall(r"zmon_[a-z_]+", line)
    }
    assert asked <= {metric.sample for metric in METRICS}
    assert len(asked) == 3


@pytest.mark.skipif(PROMTOOL is None, reason="no Prometheus here: apt install prometheus")
def test_promtool_takes_the_file(tmp_path: Path) -> None:
    """`promtool check rules` finds all of them; a text of a user's own cannot break out of its place."""
    assert PROMTOOL is not None
    first = load_rules()[0]
    hostile = first._replace(
        name="own", look=1.0, bad=2.0, logs=True, why='"}} {{ .Bad }}\n- alert: x # \\ \u2028'
    )
    for rules in (load_rules(), [*load_rules(), hostile]):
        path = tmp_path / "zmon.yml"
        text = alert_rules(rules)
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(  # noqa: S603 - found above
            [PROMTOOL, "check", "rules", str(path)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        alerts = len(re.findall(r"^ {6}- alert: ", text, re.MULTILINE))
        assert f"{alerts} rules found" in done.stdout
