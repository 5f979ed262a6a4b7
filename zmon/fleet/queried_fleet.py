"""A fleet whose systems are what a Prometheus-compatible server has of zmon's metrics.

The server's query API is asked, form and errors as in Prometheus's docs/querying/api.md.  What it answers may
be anything: time, size and form are bounded, and no text of it is shown without being made harmless.
"""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from zmon.base.absent import absent
from zmon.base.clock import DAY, SECOND
from zmon.base.event import BAD, LEVELS, LOOK, OVER, ExceptionEntry
from zmon.base.plain_text import harmless
from zmon.base.sizes import MB
from zmon.exposition.metric import (
    CHANNEL_BUSY,
    CHANNEL_OWN,
    CPU_SECONDS,
    EXCEPTION,
    HOST_INFO,
    LCU_INFO,
    LCU_METRICS,
    SAMPLED_AT,
    SIMULATED,
)
from zmon.fleet.fleet_tables import Sight
from zmon.fleet.member import ChannelUse, Member, Weighed
from zmon.fleet.recorded_fleet import FleetError
from zmon.kinds import NOT_MEASURED
from zmon.rule.grammar import usable_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NOT_REPORTED: Final = absent("it has not reported in this time")
MINUTE: Final = 60.0
TIMEOUT: Final = 10.0
"""Seconds for an answer in all, however slowly it comes."""
MAX_ANSWER: Final = 32 << 20
"""Bytes of an answer: 100 guests with 1,000 LCUs of a guest are less."""
MAX_LABEL: Final = 120
"""Characters of the value of a label that are used."""
MOST_VALUE: Final = 1e18
"""What no figure of zmon reaches: bytes, seconds, counts, times."""
MAX_MESSAGE: Final = 200
"""Characters of the server's own words that are repeated."""
STEPS: Final = 60
"""Points of time at which it is asked which exceptions were open."""
RECENT: Final = "5m"
"""How far back a figure of an instant may lie; Prometheus's own limit."""
SCRAPES: Final = "2m"
"""The time in which it is looked how often the server asks the systems."""
MIN_SCRAPE: Final = 5.0
"""Seconds; more often a screen is not renewed."""
SELDOM: Final = 60.0
"""Seconds after which it is renewed at the latest, however seldom the server asks."""
SHORTER: Final = 0.75
"""How long the time is over which a system is judged that began to report lately, of that in which it did, at
least; so few questions are asked even where each system began at another time."""
WHOLE: Final = 0.95
"""The part of the period in which a system has to report to be judged over all of it."""
NO_SERVER: Final = "--from names no server: write it as http://HOST:9090"
NO_CREDENTIALS: Final = (
    "no user and password belong into the URL, because everybody can see a command line; a proxy on this"
    " machine can add them"
)
FIGURES: Final = tuple(
    metric for metric in LCU_METRICS if "_busy_" not in metric.name and "_device_" not in metric.name
)
REPORTING: Final = Sight("system", "systems that do not report there")
NOT_EXPORTED: Final = absent("metrics say only that an exception is open")


class AnsweredSeries(NamedTuple):
    """One series of an answer: its labels, and its points as (seconds since 1970, value)."""

    labels: Mapping[str, str]
    points: Sequence[tuple[float, float]]

    @property
    def value(self) -> float:
        """The last value."""
        return self.points[-1][1]


class NoRedirect(HTTPRedirectHandler):
    """Follows the server nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Return that it is an error."""


class PrometheusApi:
    """The query API of a server."""

    def __init__(self, url: str) -> None:
        """Ask nothing yet.

        Raises:
            FleetError: the URL is none of a server, or holds a password.
        """
        self.name = _server(url)
        self._url = url.rstrip("/")
        self._opener = build_opener(NoRedirect)

    def query(self, expression: str, at: float) -> list[AnsweredSeries]:
        """Return the values of an expression at a time, in seconds since 1970.

        Raises:
            FleetError: there is no answer that can be used; says why.
        """
        return self._ask("query", {"query": expression, "time": f"{at:.3f}"})

    def query_range(self, expression: str, begin: float, end: float, step: float) -> list[AnsweredSeries]:
        """Return the values of an expression from one time to another, each `step` seconds.

        Raises:
            FleetError: there is no answer that can be used; says why.
        """
        parameters = {"start": f"{begin:.3f}", "end": f"{end:.3f}", "step": f"{step:.3f}"}
        return self._ask("query_range", {"query": expression, **parameters})

    def _ask(self, path: str, parameters: Mapping[str, str]) -> list[AnsweredSeries]:
        """Ask in a thread of its own, so that a server that dribbles cannot hold up anybody."""
        answers: list[bytes | Exception] = []

        def fetch() -> None:
            try:
                answers.append(self._fetch(f"{self._url}/api/v1/{path}", urlencode(parameters).encode()))
            except Exception as error:  # noqa: BLE001 - whatever a server does
                answers.append(error)

        thread = threading.Thread(target=fetch, name="prometheus", daemon=True)
        thread.start()
        thread.join(TIMEOUT)
        answer = answers[0] if answers else TimeoutError(f"no answer within {TIMEOUT:g} s")
        if isinstance(answer, Exception):
            raise FleetError(f"{self.name}: {_reason(answer)}") from answer
        try:
            return list(series_of(answer))
        except (ValueError, RecursionError) as error:
            words_ = str(error) if isinstance(error, FleetError) else "its answer is not one of Prometheus"
            raise FleetError(f"{self.name}: {words_}") from error

    def _fetch(self, url: str, body: bytes) -> bytes:
        request = Request(url, body, {"Accept": "application/json"})  # noqa: S310 - http or https
        try:
            with self._opener.open(request, timeout=TIMEOUT) as answer:
                content: bytes = answer.read(MAX_ANSWER + 1)
        except HTTPError as error:
            with error:
                raise FleetError(_refusal(error)) from None
        if len(content) > MAX_ANSWER:
            raise FleetError(f"the answer is longer than {MAX_ANSWER >> 20} MB")
        return content


def _server(url: str) -> str:
    """Return how a server is called.

    Raises:
        FleetError: the URL is none of a server, or holds a password.
    """
    try:
        parts = urlsplit(url)
        name = parts.hostname and f"{parts.scheme}://{parts.hostname}:{parts.port or ''}"
    except ValueError:
        raise FleetError(NO_SERVER) from None
    if parts.username is not None or parts.password is not None:
        raise FleetError(NO_CREDENTIALS)
    if parts.scheme not in {"http", "https"} or not name or parts.query or parts.fragment:
        raise FleetError(NO_SERVER)
    return harmless(name.rstrip(":"), ascii_only=True)[:MAX_LABEL]


def _refusal(error: HTTPError) -> str:
    """Return with what a server refuses; in its own words, if it has some."""
    try:
        said = json.loads(error.read(MAX_MESSAGE * 10)).get("error")
    except Exception:  # noqa: BLE001 - any other text is not repeated
        said = ""
    text = f": {harmless(said[:MAX_MESSAGE], ascii_only=True)}" if isinstance(said, str) and said else ""
    return f"the server answers {error.code}{text}"


def _reason(error: Exception) -> str:
    """Return in words why there is no answer."""
    if isinstance(error, FleetError):
        return str(error)
    why = getattr(error, "reason", error)
    return harmless(getattr(why, "strerror", None) or str(why) or type(why).__name__)[:MAX_MESSAGE]


def series_of(answer: bytes) -> Iterator[AnsweredSeries]:
    """Yield the series of an answer; points that are no finite numbers are left out.

    Raises:
        ValueError: it is no answer of the query API; FleetError: the server says what is wrong.
    """
    document: Any = json.loads(answer)
    if not isinstance(document, dict):
        raise ValueError("no object")  # noqa: TRY004 - it is the text that is wrong
    if document.get("status") != "success":
        said = document.get("error")
        message = (
            harmless(said[:MAX_MESSAGE], ascii_only=True) if isinstance(said, str) else "it gives no reason"
        )
        raise FleetError(f"the server cannot answer: {message}")
    data = document.get("data")
    rows = data.get("result") if isinstance(data, dict) else None
    if not isinstance(rows, list):
        raise ValueError("no result")  # noqa: TRY004 - likewise
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("metric"), dict):
            continue
        labels = {
            str(name): harmless(value[:MAX_LABEL])
            for name, value in row["metric"].items()
            if isinstance(value, str)
        }
        points = [row["value"]] if "value" in row else row.get("values")
        points_read = [point for raw in points or () if (point := _point(raw)) is not None]
        if points_read:
            yield AnsweredSeries(labels, points_read)


def _point(point: Any) -> tuple[float, float] | None:
    """Return a point; None if it is none, or no finite number."""
    if not isinstance(point, list) or len(point) != 2 or not isinstance(point[1], str):
        return None
    if isinstance(point[0], bool) or not isinstance(point[0], (int, float)):
        return None
    try:
        at, value = float(point[0]), float(point[1])
    except (ValueError, OverflowError):
        return None
    return (at, value) if abs(value) < MOST_VALUE and 0 <= at < 1e10 else None  # no comparison holds of NaN


# the fleet


@dataclass
class Found:
    """What is known of a system by now."""

    name: str
    host: Mapping[str, str] = field(default_factory=dict)
    since: float = 0.0
    """When it reported first in the time, and at last; seconds since 1970."""
    until: float = 0.0
    is_simulated: bool = False
    lcus: dict[str, dict[str, float]] = field(default_factory=dict)
    """Per second, by LCU and metric."""
    vendors: dict[str, str] = field(default_factory=dict)
    busy: float = 0.0
    every: float = 0.0
    channels: dict[str, dict[str, float]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    entries: list[ExceptionEntry] = field(default_factory=list)


class QueriedFleet:
    """What a server has of all systems; of each time it is asked anew."""

    def __init__(self, url: str, recordings: Mapping[str, str], end: int) -> None:
        """Find the systems that report at a time, UTC in ns; `recordings` are those that are at hand.

        Raises:
            FleetError: there is no answer, or no system.
        """
        self._api = PrometheusApi(url)
        self.name, self.sight = self._api.name, REPORTING
        self._recordings = recordings
        self._rules = {rule.name: rule for rule in usable_rules("")[0]}
        self.move_on(end)

    @cached_property
    def seconds(self) -> float:
        """How often the server asks the system that it asks most often; it is asked once."""
        every = [
            (series.points[-1][0] - series.points[0][0]) / (len(series.points) - 1)
            for series in self._api.query(f"{SAMPLED_AT.name}[{SCRAPES}]", self._end / SECOND)
            if len(series.points) > 1
        ]
        return min(max(min(every, default=SELDOM), MIN_SCRAPE), SELDOM)

    def move_on(self, end: int) -> None:
        """Look for the systems that report at a time, UTC in ns, which the span ends with from then on.

        Raises:
            FleetError: there is no answer, or no system; then nothing has changed.
        """
        reporting = self._api.query(f"last_over_time({SAMPLED_AT.name}[{RECENT}])", end / SECOND)
        if not reporting:
            raise FleetError(
                f"{self.name}: no system has reported in the {RECENT} before this time; docs/metrics.md says"
                " how one does, --at names another time"
            )
        instances = sorted({series.labels.get("instance", "") for series in reporting})
        hosts = [_host(instance) for instance in instances]
        count = Counter(hosts)
        self._names = {
            instance: host if count[host] == 1 else instance
            for instance, host in zip(instances, hosts, strict=True)
        }
        self.systems: Mapping[str, str] = {
            name: self._recordings.get(name, "") for name in sorted(self._names.values())
        }
        self._end = end

    def span(self) -> tuple[int, int]:
        """Return the last day."""
        return self._end - DAY, self._end

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def members(self, begin: int, end: int) -> list[Member]:
        """Ask for the figures of a time.

        Raises:
            FleetError: there is no answer that can be used.
        """
        members = {name: Found(name) for name in self.systems}
        for (seconds, at), names in self._times(members, begin, end).items():
            asked = {name: members[name] for name in names}
            for series in self._api.query(_joined(f"[{seconds}s]"), at):
                self._take(asked, series)
        entries: dict[str, list[ExceptionEntry]] = {}
        for name, entry in self._open_exceptions(begin, end):
            entries.setdefault(name, []).append(entry)
        return [self._member(member, entries.get(member.name, ())) for member in members.values()]

    def _times(
        self, systems: Mapping[str, Found], begin: int, end: int
    ) -> dict[tuple[int, float], list[str]]:
        """Return over how many seconds, until when, which systems are judged: each while it reported.

        A server divides an increase by the time that is asked for, also where it has figures of a part only.
        """
        seconds, at = max(round((end - begin) / SECOND), 1), end / SECOND
        for name in ("since", "until"):
            edge = "min" if name == "since" else "max"
            for series in self._api.query(f"{edge}_over_time({SAMPLED_AT.sample}[{seconds}s])", at):
                system = systems.get(self._names.get(series.labels.get("instance", ""), ""))
                if system is not None:
                    setattr(system, name, min(max(series.value, 0.0), at))
        times: dict[tuple[int, float], list[str]] = {}
        for system in systems.values():
            system.since = max(system.since, begin / SECOND)
            is_late = system.since < system.until < at - MINUTE
            last = math.ceil(system.until) if is_late else at
            time = last - system.since
            asked = float(seconds)
            while asked * WHOLE > time > 1:
                asked *= SHORTER
            times.setdefault((max(int(asked), 1), last), []).append(system.name)
        return times

    def _take(self, systems: Mapping[str, Found], series: AnsweredSeries) -> None:
        """Take one series of the answer."""
        labels, figure = series.labels, series.labels.get("figure", "")
        system = systems.get(self._names.get(labels.get("instance", ""), ""))
        if system is None:
            return
        lcu = f"{_word(labels.get('box', ''))}.{_word(labels.get('lcu', ''), dots=False)}"
        if figure in _LCU_FIGURES:
            rates = system.lcus.setdefault(lcu, {})
            rates[figure] = rates.get(figure, 0.0) + series.value
        elif figure == LCU_INFO.name:
            system.vendors[lcu] = _word(labels.get("vendor", ""), dots=False)
        elif figure == HOST_INFO.name:
            system.host = labels
        elif figure == SIMULATED.name:
            system.is_simulated = True
        elif figure == CPU_SECONDS.name:
            system.every += series.value
            system.busy += 0.0 if labels.get("mode") in {"idle", "iowait", "steal"} else series.value
        elif figure in {CHANNEL_BUSY.name, CHANNEL_OWN.name}:
            key = f"{_word(labels.get('cpc', ''))} {labels.get('css', '')}.{labels.get('chpid', '')}"
            system.channels.setdefault(key, {})[figure] = series.value
            system.types[key] = labels.get("type", "")

    def _member(self, system: Found, entries: Sequence[ExceptionEntry]) -> Member:
        """Return what is known of a system as if it came from its recording."""
        seconds = max(system.until - system.since, 1.0)
        machine = {
            "guest_name": system.host.get("guest", ""),
            "lpar_name": system.host.get("lpar", ""),
            "vm_name": system.host.get("vm_system", ""),
            "sequence": system.host.get("cpc", ""),
        }
        channels = tuple(
            ChannelUse(
                key.partition(" ")[0],
                key.partition(" ")[2],
                system.types.get(key, ""),
                shares[CHANNEL_BUSY.name],
                shares.get(CHANNEL_OWN.name, NOT_MEASURED),
            )
            for key, shares in sorted(system.channels.items())
            if CHANNEL_BUSY.name in shares
        )
        return Member(
            system.name,
            self._recordings.get(system.name, ""),
            "" if system.until else NOT_REPORTED.reason,
            span=(round(system.since * SECOND), round(system.until * SECOND)),
            machine=machine,
            is_simulated=system.is_simulated,
            lcus={
                f"{system.vendors.get(key, '')}.{key}": weighed(rates, seconds)
                for key, rates in sorted(system.lcus.items())
                if any(rates.values())
            },
            cpu=Weighed(100 * system.busy * seconds, system.every * seconds),
            channels=channels,
            exceptions=tuple(sorted(entries, key=lambda entry: entry.heaviness))
            if system.until
            else NOT_REPORTED,
            is_recorded=False,
        )

    def exceptions(self) -> Iterator[tuple[str, ExceptionEntry, bool]]:
        """Yield the exceptions of the last day, as far as they lasted."""
        begin, end = self.span()
        asked = f"count by (instance) (last_over_time({CHANNEL_BUSY.sample}[{(end - begin) // SECOND}s]))"
        measuring = {series.labels.get("instance", "") for series in self._api.query(asked, end / SECOND)}
        names = {self._names[instance] for instance in measuring & self._names.keys()}
        for name, entry in self._open_exceptions(begin, end):
            yield name, entry, name in names

    def _open_exceptions(self, begin: int, end: int) -> list[tuple[str, ExceptionEntry]]:
        """Return which exceptions were open, as known at each of `STEPS` points of time."""
        step = max((end - begin) / SECOND / STEPS, 1.0)
        exceptions = []
        for series in self._api.query_range(f"{EXCEPTION.name} == 1", begin / SECOND, end / SECOND, step):
            name = self._names.get(series.labels.get("instance", ""), "")
            if name:
                exceptions += [(name, entry) for entry in self._entries(series, step)]
        return exceptions

    def _entries(self, series: AnsweredSeries, step: float) -> Iterator[ExceptionEntry]:
        """Yield an exception for each time in which a series is 1 without a gap."""
        rule_there = self._rules.get(series.labels.get("rule", ""))
        rule, thing = series.labels.get("rule", ""), series.labels.get("object", "")
        level = BAD if series.labels.get("severity") == LEVELS[BAD] else LOOK
        said = f"{thing}: {rule}" + (
            f"; {rule_there.why}" if rule_there is not None and rule_there.why else ""
        )
        begun = last = series.points[0][0]
        for at, _ in (*series.points[1:], (math.inf, 0.0)):
            if at <= last + 1.5 * step:
                last = at
                continue
            begin, end = round(begun * SECOND), round(last * SECOND)
            yield ExceptionEntry(
                rule, "", "" if rule_there is None else rule_there.table, thing, thing, begin, end + 1, level,
                NOT_EXPORTED, begin, end, NOT_EXPORTED, NOT_EXPORTED, 1, said,
                "" if rule_there is None else rule_there.cause,
                1.0 if rule_there is None else rule_there.weight, "", OVER,
            )  # fmt: skip
            begun = last = at


def weighed(rates: Mapping[str, float], seconds: float) -> dict[str, Weighed]:
    """Return the figures of an LCU, as CTLUNIT has them, from metrics per second.

    Its I/O is what was started, where that is counted, else what Linux completed.
    """

    def of(name: str) -> float:
        return max(rates.get(f"zmon_lcu_{name}", 0.0), 0.0)

    completed, timed = of("reads") + of("writes"), of("timed")
    io = of("ssch") if "zmon_lcu_ssch" in rates else completed
    weighed = {
        "io": Weighed(io * seconds, seconds),
        "mbs": Weighed((of("read_bytes") + of("written_bytes")) / MB * seconds, seconds),
        "queue": Weighed(of("io_seconds") * seconds, seconds),
    }
    if completed:
        weighed["resp"] = Weighed(1000 * of("io_seconds") * seconds, completed * seconds)
    for name, of_time in (("pend", "pending"), ("disc", "disconnect"), ("conn", "connect")):
        if timed:
            weighed[name] = Weighed(1000 * of(f"{of_time}_seconds") * seconds, timed * seconds)
    return weighed


_LCU_FIGURES: Final = frozenset(metric.name for metric in FIGURES)


def _joined(window: str) -> str:
    """Return one question for all figures of a time, each with its metric as the label `figure`."""

    def named(name: str, expression: str) -> str:
        return f'label_replace({expression}, "figure", "{name}", "", "")'

    parts = [
        named(metric.name, f"sum by (instance, box, lcu) (rate({metric.sample}{window}))")
        for metric in FIGURES
    ]
    parts += [
        named(metric.name, f"last_over_time({metric.sample}{window})")
        for metric in (LCU_INFO, HOST_INFO, SIMULATED)
    ]
    parts.append(named(CPU_SECONDS.name, f"sum by (instance, mode) (rate({CPU_SECONDS.sample}{window}))"))
    parts += [
        named(metric.name, f"last_over_time({metric.sample}[{RECENT}])")
        for metric in (CHANNEL_BUSY, CHANNEL_OWN)
    ]
    return " or ".join(parts)


def _host(instance: str) -> str:
    """Return an instance without its port."""
    host, _, port = instance.rpartition(":")
    return host if host and port.isdecimal() else instance


def _word(value: str, *, dots: bool = True) -> str:
    """Return the value of a label as a part of a key."""
    value = value.replace(" ", "_")
    return value if dots else value.replace(".", "_")
