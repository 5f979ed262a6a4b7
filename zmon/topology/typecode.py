"""What the type codes of channel paths and devices are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent

if TYPE_CHECKING:
    from zmon.absent import Value

_CHANNELS: Final = {
    0x03: "ESCON", 0x04: "ESCON", 0x05: "ESCON", 0x06: "CVC", 0x07: "NTV",
    0x08: "CTC_P", 0x09: "CTC_S", 0x0A: "CTC_?", 0x0B: "CFS", 0x0C: "CFR", 0x0F: "CBY",
    0x10: "OSE", 0x11: "OSD", 0x12: "OSA", 0x13: "ISD", 0x14: "OSC", 0x15: "OSN",
    0x16: "CBS", 0x17: "CBR", 0x18: "ICS", 0x19: "ICR",
    0x1A: "FICON", 0x1B: "FICON", 0x1C: "FCV", 0x1D: "FICON", 0x1E: "DSD", 0x1F: "EIO",
    0x21: "CBP", 0x22: "CFP", 0x23: "ICP", 0x24: "IQD", 0x25: "FCP", 0x26: "CIB",
    0x30: "OSX", 0x31: "OSM", 0x32: "KVM",
}  # fmt: skip


def channel_type(code: int) -> str:
    """Return what the Toolkit calls a type of channel path, else its acronym; unknown ones in hex."""
    return _CHANNELS.get(code) or f"{code:02x}"


def device_type(devtype: Value, cutype: Value) -> str | Absent:
    """Return type and model as on a screen, `3390-C` for 3390/0c.

    The model byte is not the model of the brochure: one byte stands for disks of several sizes.
    A device without a type of its own, as an adapter, goes by the type of its control unit.
    """
    known = cutype if isinstance(devtype, Absent) else devtype
    if isinstance(known, Absent):
        return known
    kind, _, model = str(known).upper().partition("/")
    return f"{kind}-{model.lstrip('0') or '0'}" if model else kind
