"""No advice that gains little: what limits comes first, and explains the queue before something else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import situation_in, view_of
from tests.diagnosis.situations import load, situation, volume
from tests.goldens import facts
from zmon.cli.main import main
from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.diagnosis import LIKELY, Gain
from zmon.diagnosis.judged import situation_of, verdict_of
from zmon.diagnosis.sections import remarks
from zmon.diagnosis.verdict import verdict
from zmon.queueing.change import ProcessorNumber
from zmon.queueing.prediction import LITTLE, PROCESSORS, fitted_interval, predict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.queueing.change import Change
    from zmon.queueing.prediction import Prediction


def test_a_queue_for_aliases_is_explained_by_full_channels() -> None:
    """More aliases gain nothing where the channel paths limit: these come first."""
    view = view_of("iozone-hyperpav")
    found = verdict_of(view)
    (first,) = found.diagnoses
    assert (first.id, first.confidence, bool(first.confirm)) == ("D2", LIKELY, True)
    assert first.lost > 40
    ((second, by),) = found.explained
    assert (second.id, by) == ("D4", "D2")
    assert second.action.startswith("More aliases would gain little, within the model's error")
    assert "Define" not in found.sentence
    assert first.gain_text.startswith("1.9")


def test_a_queue_for_aliases_is_explained_by_the_lcu_that_limits() -> None:
    """No remedy of the full LCU is known to the model; more aliases are not advised all the same.

    Where it is not known that the load is new, who makes it comes first all the same, and hardware later.
    """
    found = verdict_of(view_of("who-loads"))
    assert [one.id for one in found.diagnoses] == ["D1"]
    assert [(one.id, by) for one, by in found.explained] == [("D4", "D1")]
    now, later = found.diagnoses[0].action.split(" Later: ")
    assert "reports" in now
    assert "LCUs" in later


@pytest.mark.parametrize(
    "name", ["hyperpav-0", "pav-3", "shark-before", "fcp-multibus-full", "shark-respread-only"]
)
def test_advice_that_gains_stays(name: str) -> None:
    """Each advice that is given is expected to gain more than `LITTLE`, or shortens responses as much."""
    view = view_of(name)
    predict = situation_of(view).predict
    assert predict is not None
    for one in verdict_of(view).diagnoses:
        if one.changes:
            found = predict(one.changes)
            now, then = found.whole.response
            assert found.times >= LITTLE or then * LITTLE <= now
            assert "would gain little" not in one.action


def test_aliases_are_offered_beside_another_place_for_logs() -> None:
    """With ten aliases the simulation does 2.99 times the I/O; the model is asked when that is shown."""
    situation = situation_in("logs-mixed")
    asked: list[tuple[Change, ...]] = []

    def predict(changes: Sequence[Change]) -> Prediction:
        assert situation.predict is not None
        asked.append(tuple(changes))
        return situation.predict(changes)

    found = verdict(situation._replace(predict=predict))
    assert [one.id for one in found.diagnoses] == ["D12"]
    assert not asked
    also = dict(remarks(found))["Also D4b"]
    assert "D12 10 8000 8100 3." in facts(also)
    assert [one.changes for one, _ in found.explained if one.id == "D4b"] == asked


def test_processors_that_would_gain_3_percent_are_not_advised(capsys: pytest.CaptureFixture[str]) -> None:
    """A recording of an emulated machine: what limits next is a volume."""
    source = ["diagnose", "--from", "recordings/hercules-two-hot-files-after.zmon"]
    assert main([*source, "-f", "json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["diagnoses"]
    assert first["id"] == "D15"
    assert "within the model's error" in first["action"]
    assert first["action"].endswith(catalogue()["D15"].instead)
    assert not first["gain"]
    assert (second["id"], second["explained_by"]) == ("D1", "D15")


@pytest.mark.parametrize(("limiting", "advised"), [(PROCESSORS, True), (("volume", "0.0.7000"), False)])
def test_processors_that_alone_limit_are_advised_though_no_io_waits_for_them(
    limiting: tuple[str, str], *, advised: bool
) -> None:
    """Programs that compute get them; that the throughput of a few requests stays the same says nothing."""
    full = load(volume(), busy=0.99)
    made = predict(fitted_interval(full), (ProcessorNumber(6),))
    same = made.whole._replace(rate=(100.0, 100.0), response=(0.0012, 0.0012))
    asked = situation(full)._replace(predict=lambda _: made._replace(whole=same, limiting=limiting))
    (first,) = verdict(asked).diagnoses
    assert first.id == "D15"
    assert ("gain little" not in first.action) is advised


@pytest.mark.parametrize(("then", "tendency"), [(0.3, "shorter"), (1.0, ""), (3.0, "longer")])
def test_a_gain_within_the_error_of_the_model_has_no_number(then: float, tendency: str) -> None:
    """Neither of throughput nor of responses, and what limits next is named without its use."""
    gain = Gain(
        1.1, 0.9, 1.2, False, 1e-3, 1e-3 * then, limit="6 processors", next_limit="6 processors, 93 % busy"
    )
    error = gain._replace(is_within_error=True)
    assert facts(gain.text) != ""
    assert facts(error.text) == facts(error.limit)
    assert facts(error.short.partition("; next limit")[0]) == ""
    assert (f"perhaps {tendency}" in error.text) is bool(tendency)
