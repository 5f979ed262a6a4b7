"""Rules of Prometheus made from those of zmon, as YAML.

zmon has judged already, with all limits, preconditions and lengths of time: an alert follows the series
`zmon_exception` of its rule.  So a rule that is changed in a file of the user's own needs no change there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from zmon.base.event import BAD, LEVELS, LOOK
from zmon.exposition.metric import DIAGNOSIS, EXCEPTION, SAMPLED_AT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.rule.grammar import Rule

SEVERITIES: Final = {LOOK: "warning", BAD: "critical"}
"""What Prometheus's users call the levels."""
STALE: Final = 120
"""Seconds without a new sample after which an alert says so."""
PAUSE: Final = "2m"
"""How long an alert goes on behind the last sample in which its exception was open."""


def alert_rules(rules: Iterable[Rule]) -> str:
    """Return a file of rules: an alert for each level of each rule that makes exceptions, and two more."""
    lines = ["groups:", "  - name: zmon", "    rules:"]
    for rule in rules:
        if rule.logs:
            for level, limit in ((LOOK, rule.look), (BAD, rule.bad)):
                if limit is not None:
                    lines += _of_rule(rule, level)
    lines += _alert(
        "ZmonDiagnosis", f'{DIAGNOSIS.name}{{confidence=~"certain|likely"}} > 0', "5m", "warning",
        "{{ $labels.instance }}: diagnosis {{ $labels.id }} of {{ $labels.object }}",
        "{{ $value }} requests wait because of it; zmon diagnose says what to do.", (),
    )  # fmt: skip
    lines += _alert(
        "ZmonStale", f"time() - {SAMPLED_AT.name} > {STALE}", "1m", "warning",
        "{{ $labels.instance }}: zmon takes no samples",
        "The last one is {{ $value }} seconds old.", (),
    )  # fmt: skip
    return "".join(f"{line}\n" for line in lines)


def _of_rule(rule: Rule, level: int) -> Iterator[str]:
    """Yield the alert of a level of a rule."""
    word = LEVELS[level]
    labels = f"rule={json.dumps(rule.name)},severity={json.dumps(word)}"
    yield from _alert(
        f"Zmon{''.join(part.capitalize() for part in rule.name.split('-'))}",
        f"{EXCEPTION.name}{{{labels}}} == 1", "", SEVERITIES[level],
        f"{{{{ $labels.instance }}}}: {rule.name} of {{{{ $labels.object }}}}",
        rule.why.replace("{{", "{ {"), (("cause", rule.cause),) if rule.cause else (),
    )  # fmt: skip


def _alert(  # noqa: PLR0913, PLR0917 - the parts of an alert
    name: str,
    expression: str,
    lasting: str,
    severity: str,
    summary: str,
    description: str,
    labels: Sequence[tuple[str, str]],
) -> Iterator[str]:
    """Yield the lines of an alert; a text of JSON is one of YAML, too."""
    yield f"      - alert: {json.dumps(name)}"
    yield f"        expr: {json.dumps(expression)}"
    if lasting:
        yield f"        for: {lasting}"
    else:
        yield f"        keep_firing_for: {PAUSE}"
    yield "        labels:"
    for label, value in (("severity", severity), *labels):
        yield f"          {label}: {json.dumps(value)}"
    yield "        annotations:"
    yield f"          summary: {json.dumps(summary)}"
    yield f"          description: {json.dumps(description or summary)}"
