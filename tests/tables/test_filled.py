"""What a table says of itself holds for the screens and resources that there are."""

from __future__ import annotations

from zmon.base.shipped import shipped
from zmon.diagnosis.resource_state import OF_SUBJECT
from zmon.screen.definition import load_screens
from zmon.tables import TABLES
from zmon.tables.filled import definition, resource_in, shown_on

DEFINITIONS = {name: definition(name) for name in TABLES}


def test_a_table_is_shown_by_the_screen_that_it_names() -> None:
    """But for memory, which is a part of PAGELOG."""
    screens = load_screens(shipped("screens"))
    shown = {name: screens.find(table.screen).table for name, table in DEFINITIONS.items() if table.screen}
    assert {name: table for name, table in shown.items() if name != table} == {"memory": "paging_log"}


def test_the_resources_of_tables_are_those_of_diagnoses() -> None:
    """So that an exception is one of the resource that a diagnosis speaks of."""
    assert {table.resource for table in DEFINITIONS.values() if table.resource} == {*OF_SUBJECT.values()}


def test_a_table_with_a_resource_names_the_screen_of_its_exceptions() -> None:
    """Else an exception of it would lead to DEVICE."""
    assert [name for name, table in DEFINITIONS.items() if table.resource and not table.screen] == []


def test_exceptions_of_a_table_that_is_not_here_are_shown_by_device() -> None:
    """A recording of another zmon may name any table; it is of no resource."""
    assert (shown_on("gone"), resource_in("gone")) == ("DEVICE", "")
    assert (shown_on("blocked"), resource_in("blocked")) == ("DEVICE", "")
    assert (shown_on("control_unit"), resource_in("control_unit")) == ("CTLUNIT", "lcu")
