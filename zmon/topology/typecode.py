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

_MODELS: Final = {
    ("3390", "02"): "1", ("3390", "06"): "2", ("3390", "0A"): "3", ("3390", "0C"): "9",
    ("3380", "0A"): "E", ("3380", "1E"): "K",
}  # fmt: skip
"""The models of disks by the byte with which they identify themselves."""
_LARGEST: Final = 65520
"""Cylinders of the largest volume that is no extended address volume."""


def channel_type(code: int) -> str:
    """Return what the Toolkit calls a type of channel path, else its acronym; unknown ones in hex."""
    return _CHANNELS.get(code) or f"{code:02x}"


def device_type(devtype: Value, cutype: Value, cylinders: Value = 0) -> str | Absent:
    """Return type and model as z/VM and the Toolkit show them, `3390-3` for 3390/0a.

    One byte stands for disks of several sizes: a 3390-9 may have 10017 cylinders or 65520; with more it is an
    extended address volume, 3390-A.  A byte that no model is known for is shown as it is.  A device without a
    type of its own, as an adapter, goes by the type of its control unit.
    """
    known = cutype if isinstance(devtype, Absent) else devtype
    if isinstance(known, Absent):
        return known
    kind, _, model = str(known).upper().partition("/")
    if (kind, model) == ("3390", "0C") and isinstance(cylinders, int) and cylinders > _LARGEST:
        return "3390-A"
    model = _MODELS.get((kind, model)) or model.lstrip("0") or model[:1]
    return f"{kind}-{model}" if model else kind
