"""Answers about load that the samples do not have."""

from __future__ import annotations

from zmon.cp.answers import parse


def test_what_is_not_told_is_absent() -> None:
    """Never zero."""
    (load,) = parse(b"AVGPROC-021% 05\n", "x").rows["load"]
    assert (load.avg, load.paging, load.mdc_hit, load.q0, load.procs) == (21, None, None, None, ())


def test_the_last_load_holds() -> None:
    """It is as it was then, so two of them are no conflict."""
    found = parse(b"AVGPROC-021% 05\nPAGING-4/SEC\n\nAVGPROC-033% 0006\n", "x")
    assert [(load.avg, load.paging) for load in found.rows["load"]] == [(33, None)]
    assert found.conflicts == []


def test_a_section_of_a_cpu_is_no_prefix() -> None:
    """`CPU 00:` has a word before it, and below it stand its values."""
    text = "USERID=LINDB01  MACH=ESA STOR=4G\nREADS=1\n"
    text += "CPU 00: CTIME=1:02\n        TYPE=IFL\nCPU 01: CTIME=1:03\n"
    (usage,) = parse(text.encode(), "x").rows["usage"]
    assert usage.values == (("MACH", "ESA"), ("STOR", "4G"), ("READS", "1"))
    assert usage.cpus == (("00", (("CTIME", "1:02"), ("TYPE", "IFL"))), ("01", (("CTIME", "1:03"),)))


def test_a_user_has_a_row_of_its_own() -> None:
    """Of several the values are not mixed."""
    text = "USERID=A MACH=ESA STOR=4G\nREADS=1\nUSERID=B MACH=XA STOR=2G\nREADS=2\n"
    assert [(row.user, dict(row.values)["READS"]) for row in parse(text.encode(), "x").rows["usage"]] == [
        ("A", "1"), ("B", "2"),
    ]  # fmt: skip


def test_values_hide_a_password() -> None:
    """A line below that has one looks like values, and is shown with them or as not understood."""
    found = parse(b"USERID=A MACH=ESA PW=s3cret1\nPASS=s3cret2\n  LOGON MAINT PASSWORD=s3cret3\n", "x")
    assert "s3cret" not in f"{found.rows} {found.unknown}"
    assert dict(found.rows["usage"][0].values)["MACH"] == "ESA"
