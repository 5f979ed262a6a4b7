"""zmon.topology.machine: what people tell."""

from __future__ import annotations

from zmon.topology.machine import NO_INPUTS, UserClaims, UserInputs
from zmon.topology.site_file import parse_site


def test_nobody_has_told_anything() -> None:
    """No site, no answers of CP, no listing."""
    assert not NO_INPUTS.given
    assert NO_INPUTS.claims_of("LINUX1") == UserClaims()
    assert NO_INPUTS.listed is None


def test_whatever_is_told_counts() -> None:
    """A site, answers of CP, an empty listing."""
    site = parse_site('pins = ["T2"]\n', "site.toml")
    assert [
        UserInputs(site).given,
        UserInputs(claims_of=lambda _guest: UserClaims()).given,
        UserInputs(listed=[]).given,
    ] == [True] * 3


def test_what_could_not_be_used_tells_nothing() -> None:
    """An error in a site file is said, and that is all."""
    inputs = UserInputs(problems=("Not used: site.toml:1",))
    assert (inputs.given, inputs.problems) == (False, ("Not used: site.toml:1",))


def test_answers_are_understood_once_for_a_guest() -> None:
    """A text of many lines takes its time."""
    asked = []

    def hear(guest: str) -> UserClaims:
        asked.append(guest)
        return UserClaims()

    inputs = UserInputs(claims_of=hear)
    for guest in ("A", "A", "", "A"):
        inputs.claims_of(guest)
    assert asked == ["A", ""]
