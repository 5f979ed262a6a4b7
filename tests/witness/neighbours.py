"""More machines, each beside one of `machines`: another size, another place, or healthy by little.

They were written down after zmon had been mended by the others, and before it was asked about any of these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tests.witness.builders import (
    ESCON,
    FICON,
    FLASH,
    FOUR,
    OTHERS,
    RANKS,
    box,
    but,
    calm,
    unit,
    units,
    volumes,
)
from tests.witness.parts import (
    Adapter,
    Lun,
    Machine,
    Paths,
    Processors,
    Program,
    Rank,
    Truth,
    VirtualDisk,
)

EIGHT: Final = tuple(f"{at:x}000" for at in range(1, 9))
SLOW_RANK: Final = (*RANKS, Rank("slow", arms=4, seek=0.012))


def healthy_by_little() -> list[Machine]:
    """Return machines that look like others of which something is short."""
    four = units(*FOUR, aliases=8)
    skewed = (unit("8000", aliases=16), *OTHERS)
    random_reads = units(*FOUR, aliases=8, hit=0.2)
    narrow = units(*FOUR, aliases=8)
    near = (*units("8000", "8100", aliases=4, mirror=0.0003), *units("8200", "8300", aliases=4))
    return [
        box(
            "healthy-all-on-one-lcu",
            Truth("nearly all I/O goes to LCU 8000, which has time for it"),
            skewed,
            Program("oltp", volumes(skewed[0]), rate=900, kib=8),
            calm(OTHERS, 10),
        ),
        box(
            "healthy-random-reads",
            Truth("most reads miss the cache, as random reads do, and the disks have time"),
            random_reads,
            calm(random_reads, 240),
            ranks=tuple(replace(rank, seek=0.005) for rank in RANKS),
        ),
        box(
            "healthy-checkpoint",
            Truth("a burst of writes, which the nonvolatile storage takes"),
            four,
            calm(four, 200),
            Program("checkpoint", volumes(*four), threads=8, kib=8, reads=0.0, begin=52, end=57, think=0.004),
        ),
        box(
            "healthy-hot-volume",
            Truth("one volume has most I/O, and aliases enough"),
            four,
            Program("oltp", ("8002",), rate=500, kib=8),
            calm(four, 100),
        ),
        box(
            "healthy-two-paths",
            Truth("the two paths are a third busy"),
            narrow,
            Program("scan", volumes(*narrow), rate=250, kib=128, reads=1.0, sequential=True),
            paths=Paths((0x50, 0x51), mbps=50),
        ),
        box(
            "healthy-mirror-near",
            Truth("each write goes to a mirror next door, which takes 0.3 ms"),
            near,
            Program("oltp", volumes(*near), rate=500, kib=8, reads=0.5),
        ),
        box(
            "healthy-large-reads",
            Truth("few requests of a megabyte: they take long, and nothing waits"),
            four,
            Program("backup", volumes(four[1]), threads=1, kib=1024, reads=1.0, sequential=True, think=0.01),
            calm(four, 100),
        ),
    ]


def short_elsewhere() -> list[Machine]:
    """Return machines with a cause of another size or in another place."""
    of_eight = units(*EIGHT, aliases=8)
    hot = tuple(replace(lcu, mbps=12, hit=1.0) for lcu in of_eight[:2])
    beside_a_log = unit("8000", 6, aliases=12, mbps=30, hit=1.0)
    one_thread = unit("8000", aliases=4, mbps=20, foreign=275, foreign_kib=64)
    slow_bare = but(unit("8000", hit=0.3), "8001", rank="slow")
    half = unit("8000", 6, aliases=16, hit=0.5)
    for number in ("8001", "8002", "8003"):
        half = but(half, number, rank="slow")
    all_miss = units(*FOUR, aliases=16, hit=0.3)
    pair = units("8000", "8100", aliases=12, nvs=32)
    small = units(*FOUR, aliases=32, command=0.00004)
    escon = (unit("8000", aliases=0, mbps=5, hit=1.0), *units("8100", "8200", "8300"))
    few = units("8000", "8100", volumes=2, aliases=1, command=0.0004)
    mirror = (*units("8000", "8100", aliases=4, mirror=0.006), *units("8200", "8300", aliases=4))
    far = (*units("8000", "8100", aliases=8), unit("9000", paths="far", aliases=8))
    reserved = but(unit("8000", aliases=8), "8002", reserved=0.7, reservation=0.02)
    unused = unit("8000", 3, aliases=4, aliases_used=False, command=0.0006)
    narrow = (Adapter("fc00", mbps=12), Adapter("fc10", mbps=12))
    luns = tuple(Lun(f"mpath{letter}", ("fc00", "fc10")) for letter in "abcd")
    guests = tuple(VirtualDisk(f"data{which}", servers=1, service=0.008) for which in range(2))
    return [
        box(
            "two-of-eight-full",
            Truth("LCUs 1000 and 2000 are at their 12 MB/s, and six others calm", ("D3", "D1"), EIGHT[:2]),
            (*hot, *of_eight[2:]),
            Program("batch", volumes(*hot), threads=32, kib=16, reads=1.0),
            calm(of_eight[2:], 120),
        ),
        box(
            "full-with-a-log",
            Truth("LCU 8000 is at its 30 MB/s, and the log on it waits, too", ("D3", "D1"), ("8000",)),
            (beside_a_log, *OTHERS),
            Program("scan", volumes(beside_a_log)[:5], threads=20, kib=64, reads=1.0, sequential=True),
            Program("log", ("8006",), threads=1, kib=4, reads=0.0, sequential=True),
            calm(OTHERS),
        ),
        box(
            "full-by-another-system-one-thread",
            Truth("another system fills LCU 8000, where one thread of this one waits", ("D1",), ("8000",)),
            (one_thread, *OTHERS),
            Program("copy", volumes(one_thread), threads=2, kib=64, reads=1.0),
            calm(OTHERS),
        ),
        box(
            "aliases-missing-on-a-slow-array",
            Truth(
                "volume 8001 does one request at a time, which takes a slow disk, and twelve come at once",
                ("D4b",),
                ("8001",),
            ),
            (slow_bare, *units("8100", "8200", "8300")),
            Program("oltp", ("8001",), threads=12, kib=8, reads=0.95),
            calm(units("8100", "8200", "8300")),
            ranks=SLOW_RANK,
        ),
        box(
            "array-slow-below-half-of-an-lcu",
            Truth(
                "the arms below three of the six volumes of LCU 8000 are full",
                ("D9",),
                ("8001", "8002", "8003"),
            ),
            (half, *OTHERS),
            Program("oltp", ("8001", "8002", "8003"), threads=24, kib=8, reads=0.9),
            calm((half, *OTHERS), 300),
            ranks=SLOW_RANK,
        ),
        box(
            "arrays-full-everywhere",
            Truth("reads miss the cache, and the arms of all ranks are full", ("D9",)),
            all_miss,
            Program("random", volumes(*all_miss), threads=120, kib=8, reads=1.0),
            ranks=tuple(replace(rank, arms=4, seek=0.01) for rank in RANKS),
        ),
        box(
            "write-cache-full-of-two",
            Truth("more is written to 8000 and 8100 than the arrays destage", ("D7", "D9")),
            (*pair, *units("8200", "8300", aliases=4)),
            Program("load", volumes(*pair), threads=16, kib=4, reads=0.0),
            calm(units("8200", "8300"), 100),
        ),
        box(
            "paths-full-of-small-requests",
            Truth("the two FICON paths are full of the number of requests", ("D2",)),
            small,
            Program("oltp", volumes(*small), threads=48, kib=4, reads=1.0),
            paths=Paths((0x50, 0x51), mbps=100, setup=0.0004),
        ),
        box(
            "full-behind-escon",
            Truth("LCU 8000 is at its 5 MB/s behind ESCON paths that have time", ("D3", "D1"), ("8000",)),
            escon,
            Program("batch", volumes(escon[0]), threads=12, kib=16, reads=1.0),
            calm(escon[1:], 60),
            paths=ESCON,
        ),
        box(
            "aliases-too-few-twice",
            Truth("one alias each of LCUs 8000 and 8100 is always in use", ("D4",), ("8000", "8100")),
            (*few, *units("8200", "8300", aliases=4)),
            Program("oltp", volumes(*few), threads=24, kib=16, reads=0.95),
            calm(units("8200", "8300"), 100),
        ),
        box(
            "remote-mirror-far",
            Truth("each write waits 6 ms for the mirror of 8000 and 8100", ("D8",), ("8000", "8100")),
            mirror,
            Program("oltp", volumes(*mirror), rate=300, kib=8, reads=0.7),
        ),
        box(
            "far-and-busy",
            Truth("LCU 9000 is 300 km away: 3 ms for each read", ("D5",), ("9000",)),
            far,
            Program("oltp", volumes(far[2]), rate=600, kib=8),
            calm(far[:2], 400),
            groups=(("paths", FICON), ("far", Paths((0x60, 0x61), km=300))),
        ),
        box(
            "reserved-with-aliases",
            Truth("another system has volume 8002 reserved for 70 % of the time", ("D5b",), ("8002",)),
            (reserved, *OTHERS),
            Program("oltp", ("8002",), threads=6, kib=8, think=0.02),
            calm(OTHERS),
        ),
        box(
            "aliases-not-used-of-three",
            Truth("aliases of LCU 8000 do nothing, and three volumes wait", ("D4d",), ("8000",)),
            (unused, *OTHERS),
            Program("oltp", volumes(unused), threads=18, kib=16, reads=0.95),
            calm(OTHERS),
        ),
        Machine(
            "fcp-adapters-full",
            Truth("both adapters are at their 12 MB/s, all disks behind them wait", ("D14c", "D24")),
            (Program("scan", tuple(lun.name for lun in luns), threads=24, kib=64, reads=1.0),),
            luns=luns,
            adapters=narrow,
        ),
        Machine(
            "virtio-two-slow",
            Truth("the host answers data0 and data1 in 8 ms, one request after the other", ("D24", "D1")),
            (Program("oltp", ("data0", "data1"), threads=16, kib=8),),
            virtual_disks=guests,
            where="kvm",
        ),
        box(
            "one-processor-full",
            Truth("the one processor has work for more", ("D15",)),
            units(*FOUR, aliases=4),
            Program("compute", volumes(*units(*FOUR)), threads=10, kib=8, think=0.02, cpu=0.006),
            processors=Processors(1),
        ),
        box(
            "aliases-missing-on-fast-flash",
            Truth(
                "volume 8103 does one request at a time on flash, and six come at once", ("D4b",), ("8103",)
            ),
            units(*FOUR, command=0.0001),
            Program("oltp", ("8103",), threads=6, kib=4, reads=0.9),
            ranks=FLASH,
        ),
    ]


def reads_and_writes_apart() -> list[Machine]:
    """Return machines on which reads and writes wait for different things, or seem to.

    They were written down after zmon had learned to compare both, and before it was asked about any of these.
    """
    by_few = units(*FOUR, aliases=8, hit=0.3)
    of_two = (*units("8000", "8100", aliases=16, hit=0.1), *units("8200", "8300", aliases=8))
    bare = unit("8000")
    narrow = unit("8000", aliases=16, mbps=12, hit=1.0)
    few_arms = unit("8000", aliases=24, hit=0.3)
    mirrored = (unit("8000", aliases=8, hit=0.3, mirror=0.004), *units("8100", "8200", "8300", aliases=8))
    far = (*units("8000", "8100", aliases=4), unit("9000", paths="far", aliases=8))
    logs = units(*FOUR, volumes=5, aliases=8, hit=0.3)
    data = tuple(number for number in volumes(*logs) if not number.endswith("05"))
    return [
        box(
            "misses-and-a-tenth-of-writes",
            Truth("most reads of all LCUs miss the cache, and wait for arms", ("D6",)),
            by_few,
            Program("random", volumes(*by_few), threads=24, kib=4, reads=0.9, think=0.004),
        ),
        box(
            "misses-on-two-lcus",
            Truth("reads of LCUs 8000 and 8100 miss the cache", ("D6",), ("8000", "8100")),
            of_two,
            Program("random", volumes(*of_two[:2]), threads=20, kib=16, reads=0.8, think=0.005),
            calm(of_two[2:], 200),
        ),
        box(
            "misses-beside-logs",
            Truth("reads of the data miss the cache; what is written are logs on other volumes", ("D6",)),
            logs,
            Program("random", data, threads=24, kib=8, reads=1.0, think=0.004),
            Program(
                "log", tuple(f"{name[:2]}05" for name in FOUR), rate=200, kib=4, reads=0.0, sequential=True
            ),
        ),
        box(
            "bare-volume-read-then-written",
            Truth(
                "volume 8001 has no aliases, and reads come ten at once; writes come later",
                ("D4b",),
                ("8001",),
            ),
            (bare, *OTHERS),
            Program("report", ("8001",), threads=10, kib=16, reads=1.0, end=59.4),
            Program("checkpoint", ("8001",), threads=1, kib=8, reads=0.0, begin=59.4, think=0.008),
            calm(OTHERS),
        ),
        box(
            "full-by-small-reads-and-writes",
            Truth("LCU 8000 is at its 12 MB/s, for reads and writes alike", ("D3", "D1"), ("8000",)),
            (narrow, *OTHERS),
            Program("batch", volumes(narrow), threads=24, kib=16, reads=0.8),
            calm(OTHERS),
        ),
        box(
            "arms-full-and-writes-quick",
            Truth("the arms behind LCU 8000 are full of reads", ("D9",), ("8000",)),
            (few_arms, *OTHERS),
            Program("random", volumes(few_arms), threads=40, kib=8, reads=0.98),
            calm(OTHERS, 100),
            ranks=tuple(replace(rank, arms=2, seek=0.009) for rank in RANKS),
        ),
        box(
            "misses-and-a-mirror",
            Truth("reads of LCU 8000 miss the cache, and its writes go to a mirror", ("D6", "D8"), ("8000",)),
            mirrored,
            Program("random", volumes(mirrored[0]), threads=16, kib=8, reads=0.8, think=0.005),
            calm(mirrored[1:], 150),
        ),
        box(
            "far-with-few-requests",
            Truth("LCU 9000 is 150 km away: 1.5 ms for each read", ("D5",), ("9000",)),
            far,
            Program("oltp", volumes(far[2]), rate=200, kib=8, reads=0.6),
            calm(far[:2], 200),
            groups=(("paths", FICON), ("far", Paths((0x60, 0x61), km=150))),
        ),
        box(
            "healthy-reads-slower-than-writes",
            Truth("a third of the reads miss the cache: a read takes longer than a write, and nothing waits"),
            units(*FOUR, aliases=8, hit=0.7),
            Program("oltp", volumes(*units(*FOUR)), rate=300, kib=8, reads=0.7),
        ),
    ]
