"""The words of the command line: what they do, for help, completion and whoever carries them out.

They are those of the Toolkit, where it has them.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class CommandError(ValueError):
    """A command that cannot be carried out; the message says why and what would be possible."""


class Command(NamedTuple):
    """A word of the command line: what it does, in help and completion."""

    word: str
    shortest: int
    """How many characters must be given."""
    operand: str
    help: str

    @property
    def spelled(self) -> str:
        """The word with what is enough of it in capitals: `REFresh`."""
        return self.word[: self.shortest] + self.word[self.shortest :].lower()


class Given(NamedTuple):
    """A command as it was given, for the surface to carry out."""

    word: str
    operands: str


COMMANDS: Final = (
    Command("HELP", 1, "[name]", "explain this screen, or a column, screen or command; ? or HELP KEYS: keys"),
    Command("SORT", 2, "column [ASC|DESC]", "sort on a column, named as its heading: SORT MB/s"),
    Command(
        "WHERE", 1, "[condition ...]", "show rows that meet all conditions, such as resp>10; without: all"
    ),
    Command("LOCATE", 2, "text", "go to the next row that contains a text; also /text"),
    Command("TOP", 3, "", "go to the first row"),
    Command("BOTTOM", 3, "", "go to the last row"),
    Command("REFRESH", 3, "", "take a sample now"),
    Command("NEXTSAMP", 5, "[time]", "go to the next sample, or to a time; live: take a sample now"),
    Command("PREVSAMP", 5, "", "go to the previous sample"),
    Command("GO", 2, "time", "go to a time: 14:32, -10m, +1h, yesterday 14:30, begin, end"),
    Command("PLAY", 3, "[speed]", "play: 1, 2, 5, 10, 30, 60, 120, 300 or 600; -10 is backwards"),
    Command("PAUSE", 3, "", "stop playing; live: hold the screen"),
    Command("NEXTEXC", 5, "", "go to the next exception: a limit, a gap, a restart ..."),
    Command("PREVEXC", 5, "", "go to the previous exception"),
    Command("EVENTS", 2, "", "list the events of the tape: limits, gaps, restarts, notes"),
    Command("MARK", 3, "A|B", "mark this sample"),
    Command("AVERAGE", 2, "", "show the averages between the marks A and B"),
    Command("INTERIM", 3, "", "show the figures of each interval again"),
    Command(
        "COMPARE",
        4,
        "[from to [from to]]|OFF",
        "the interval at mark A beside that at B; COMPARE t1 t2: the average from t1 to t2 beside this"
        " interval; COMPARE t1 t2 t3 t4: two periods; OFF ends it",
    ),
    Command("NOTE", 4, "text", "add a note to this sample, if samples are recorded"),
    Command("NOW", 3, "", "return from the past to the live machine"),
    Command(
        "PLOT", 3, "[column] [row ...] [since]", "draw a column by time: PLOT resp 7000 -10m; also GRAPH"
    ),
    Command("CORREL", 3, "[column] [row] [since]", "list what moved with a column: CORREL resp 7000 -10m"),
    Command("TOUR", 2, "[NEXT|BACK|OFF|step]", "in zmon demo: open the tour, go a step on or back, close it"),
    Command("PRINT", 2, "[file]", "write this screen to a file, as text"),
    Command("RETURN", 3, "", "leave this screen"),
    Command("QUIT", 4, "", "leave zmon; also q, EXIT"),
)
"""The words that are no screens."""

ALIASES: Final = {"Q": "QUIT", "EXIT": "QUIT", "GRAPH": "PLOT"}
"""Other words for commands."""

CONTROL: Final = {"FC", "FCONTROL"}
"""What people used to write before some commands of the Toolkit: `FC BENCHMRK DEVICE 7000`."""


QUESTION: Final = "?"
"""What people write who look for help: it lists the keys, and explains what stands behind it."""


def find(word: str) -> Command | None:
    """Return the command that a word or its beginning names."""
    wanted = ALIASES.get(word.upper(), word.upper())
    for command in COMMANDS:
        if command.word.startswith(wanted) and len(wanted) >= command.shortest:
            return command
    return None


def uncontrolled(line: str) -> str:
    """Leave out the word that the Toolkit has before some of its commands."""
    word, _, rest = line.partition(" ")
    return rest.strip() if word.upper() in CONTROL and rest.strip() else line
