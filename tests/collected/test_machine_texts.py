"""What lscpu and uname say of the machine."""

from __future__ import annotations

import pytest

from tests.collected.texts import facts_in, row


@pytest.mark.parametrize(
    ("hypervisor", "environment"),
    [("z/VM 7.3.0", "zvm"), ("KVM/Linux", "kvm"), ("PR/SM", "lpar")],
)
def test_lscpu_names_machine_and_environment(hypervisor: str, environment: str) -> None:
    """An LPAR runs below no control program."""
    content = (
        f"Architecture:          s390x\nMachine type:          3931\nHypervisor:            {hypervisor}\n"
    )
    found = row(facts_in(content, "lscpu"), "machine", "machine")
    assert found["environment"] == environment
    assert found["type"] == "3931"
    assert found.get("control_program") == (None if environment == "lpar" else hypervisor)


def test_an_unknown_hypervisor_is_no_environment() -> None:
    """It is not taken for a machine without one."""
    assert "machine" not in facts_in("Hypervisor: other\n", "lscpu").rows or "environment" not in row(
        facts_in("Hypervisor: other\n", "lscpu"), "machine", "machine"
    )


def test_uname_names_host_and_kernel() -> None:
    """As `uname -a` prints them."""
    content = "Linux lnxdb01 6.4.0-150600.23-default #1 SMP Tue Mar 17 (abc) s390x s390x s390x GNU/Linux\n"
    assert row(facts_in(content, "uname -a"), "machine", "machine") == {
        "hostname": "lnxdb01", "kernel": "6.4.0-150600.23-default", "architecture": "s390x",
    }  # fmt: skip


@pytest.mark.parametrize(("printed", "name"), [("lnxdb01.example", "lnxdb01"), ("localhost", None)])
def test_hostname_names_the_host(printed: str, name: str | None) -> None:
    """Without its domain, which `hostname -f` adds; every machine is localhost to itself."""
    told = facts_in(f"{printed}\n", "hostname -f").rows.get("machine", {}).get("machine", {})
    assert [fact.value for fact in told.get("hostname", [])] == ([name] if name else [])
