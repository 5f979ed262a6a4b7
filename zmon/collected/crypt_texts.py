"""Encrypted devices in texts: `cryptsetup status`.

    /dev/mapper/cr_data is active and is in use.
      cipher:  aes-xts-plain64
      device:  /dev/dasdb1
      offset:  32768 [512-byte units] (16777216 [bytes])      before 2.8 `32768 sectors`
      size:    4771840 [512-byte units] (2443182080 [bytes])

Where the device below has a number by its name, these lines say what a table of the device mapper would.
Source: cryptsetup, src/cryptsetup.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zmon.collected.numbers import number_of_dasd
from zmon.collected.reading import Reading, line
from zmon.kinds import LAYER

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText


class Cryptsetup(Reading):
    """The device below each encrypted device."""

    tool = "cryptsetup"
    heading = r"/dev/mapper/\S{1,128} is (?:active|inactive)\b"
    nothing = (r"/dev/mapper/\S{1,128} is inactive.*", r"Device \S+ (?:not found|does not exist.*)")

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a device."""
        super().__init__(text, facts)
        self._name = self._begun = ""
        self._told: dict[str, str] = {}

    def lost(self) -> None:
        """Know no device; what was read of the one before stays."""
        self.end()

    blank = lost

    @line(r"/dev/mapper/(\S{1,128}) is active(?: and is in use)?\.")
    def head(self, match: re.Match[str]) -> None:
        """Take the first line about a device."""
        self.end()
        self._name, self._begun = match[1], self.place

    @line(r"  ([a-z][a-z -]{2,24}):\s*(\S.*|)")
    def told(self, match: re.Match[str]) -> bool:
        """Take a line about the device; if it comes again the first line of another one is missing."""
        is_whole = match[1] != "device" or re.fullmatch(r"/dev/\S{1,250}|\(null\)", match[2].strip())
        if not self._name or match[1] in self._told or not is_whole:
            return False
        self._told[match[1]] = match[2].strip()
        return True

    def end(self) -> None:
        """Say on which device the last one is, and on which bytes of it if its number is known."""
        name, told, place = self._name, self._told, self._begun
        self._name, self._told = "", {}
        device = told.get("device", "")
        if not name or not re.fullmatch(r"/dev/\S{1,250}", device):
            return
        below = self.facts.name_device(device.removeprefix("/dev/"), place)
        offset, size = (
            re.match(r"([0-9]{1,18}) (?:sectors|\[512-byte units\])", told.get(what, ""))
            for what in ("offset", "size")
        )
        cipher, number = told.get("cipher", ""), number_of_dasd(below)
        if size and offset and number and re.fullmatch(r"[\w:.()-]{1,64}", cipher):
            table = f"0 {size[1]} crypt {cipher} - 0 {number} {offset[1]}"
            self.facts.hint(LAYER, name, place, table=table)  # dmsetup prints more of it
        uuid = "CRYPT-" if re.fullmatch("LUKS[12]|PLAIN", told.get("type", "")) else ""
        self.facts.say(LAYER, name, place, mapped=name, sort="dm", below=below, uuid=uuid)
        if size:
            self.facts.say(LAYER, name, place, size=int(size[1]))
