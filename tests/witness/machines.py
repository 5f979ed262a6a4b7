"""The machines and the truth about each, which was written down before zmon was asked about any of them.

A machine is a box with LCUs 8000, 8100 ... of a few volumes each, and programs.  What is not said is as in
`parts`: calm.  The sentences say what is short; the ids are those of the catalogue in docs/diagnosis.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tests.witness.builders import (
    ESCON,
    FICON,
    FLASH,
    FOUR,
    HEALTHY,
    OTHERS,
    RANKS,
    box,
    but,
    calm,
    unit,
    units,
    volumes,
)
from tests.witness.neighbours import healthy_by_little, reads_and_writes_apart, short_elsewhere
from tests.witness.parts import (
    Adapter,
    LogicalVolume,
    Lun,
    Machine,
    Paths,
    Processors,
    Program,
    Rank,
    Truth,
    VirtualDisk,
)


def full(name: str, kib: float, aliases: int, mbps: float, **more: int) -> Machine:
    """Return a machine whose LCU 8000 is at its bandwidth, with the other LCUs calm.

    `more` are its volumes, else 4, and the threads that use them, else 24.
    """
    hot = unit("8000", more.get("volumes", 4), aliases=aliases, mbps=mbps, hit=1.0)
    threads = more.get("threads", 24)
    truth = Truth(
        f"LCU 8000 is at its {mbps:g} MB/s; its neighbours have little to do", ("D3", "D1"), ("8000",)
    )
    load = Program("batch", volumes(hot), threads=threads, kib=kib, reads=1.0)
    return box(name, truth, (hot, *OTHERS), load, calm(OTHERS))


def healthy() -> list[Machine]:
    """Return machines about which there is nothing to say."""
    four = units(*FOUR, aliases=4)
    idle = units(*FOUR, hit=0.5)
    many = units(*FOUR, aliases=16)
    far = (*units("8000", "8100", aliases=4), unit("9000", paths="far", aliases=4))
    old = units(*FOUR, mbps=60, command=0.0003)
    luns = tuple(Lun(f"mpath{letter}", ("fc00", "fc10")) for letter in "abcd")
    names = tuple(lun.name for lun in luns)
    adapters = (Adapter("fc00"), Adapter("fc10"))
    guests = tuple(VirtualDisk(f"data{which}") for which in range(3))
    return [
        box("healthy-oltp", HEALTHY, four, calm(four, 600)),
        box("healthy-idle", HEALTHY, idle, calm(idle, 3)),
        box("healthy-aliases-unused", HEALTHY, many, calm(many, 200)),
        box(
            "healthy-scans-beside-oltp",
            HEALTHY,
            four,
            calm(four, 200),
            Program("scan", volumes(four[0]), threads=2, kib=256, reads=1.0, sequential=True, think=0.02),
        ),
        box(
            "healthy-one-stream",
            HEALTHY,
            four,
            calm(four, 100),
            Program("copy", ("8001",), threads=1, kib=256, reads=1.0, sequential=True, think=0.002),
        ),
        box(
            "healthy-write-back",
            HEALTHY,
            many,
            calm(many, 200),
            Program("flush", volumes(*many), rate=20, kib=64, reads=0.0, batch=20),
        ),
        box(
            "healthy-flash",
            HEALTHY,
            units(*FOUR, aliases=4, hit=0.99, command=0.00004),
            calm(four, 1200),
            ranks=FLASH,
        ),
        box(
            "healthy-flash-misses",
            HEALTHY,
            units(*FOUR, aliases=4, hit=0.5, command=0.00004),
            calm(four, 800),
            ranks=FLASH,
        ),
        box("healthy-escon", HEALTHY, old, calm(old, 120), paths=ESCON, extended=False),
        box(
            "healthy-near-and-far",
            Truth("LCU 9000 is 40 km away: 0.4 ms for each read, and nothing waits"),
            far,
            calm(far, 300),
            groups=(("paths", FICON), ("far", Paths((0x60, 0x61), km=40))),
        ),
        box("healthy-lpar-measured", HEALTHY, four, calm(four, 600), channel_measurement=True),
        box("healthy-zvm", HEALTHY, four, calm(four, 300), where="zvm"),
        box(
            "healthy-busy-processors",
            Truth("the processors are more than half busy, and nobody waits long"),
            four,
            Program("compute", volumes(*four), threads=8, think=0.02, cpu=0.008),
            processors=Processors(4),
        ),
        Machine(
            "healthy-fcp", HEALTHY, (Program("oltp", names, rate=600, kib=8),), luns=luns, adapters=adapters
        ),
        Machine(
            "healthy-fcp-came-back",
            Truth("a path was lost for some seconds; with all paths nothing waits"),
            (Program("oltp", names, rate=300, kib=8),),
            luns=luns,
            adapters=(Adapter("fc00"), Adapter("fc10", lost_at=22, back_at=34)),
        ),
        Machine(
            "healthy-virtio",
            HEALTHY,
            (Program("oltp", tuple(d.name for d in guests), rate=300, kib=8),),
            virtual_disks=guests,
            where="kvm",
        ),
    ]


def inside_an_lcu() -> list[Machine]:
    """Return machines of which an LCU, its cache or its disks are short."""
    all_full = units(*FOUR, aliases=8, mbps=10, hit=1.0)
    foreign = unit("8000", aliases=4, mbps=20, foreign=275, foreign_kib=64)
    queueing = unit("8000", aliases=8, mbps=40, hit=1.0, queues_itself=True)
    even = units(*FOUR, aliases=8, hit=0.5)
    missing = unit("8000", aliases=8, hit=0.4)
    nvs = units("8000", "8100", aliases=8, nvs=64)
    mirrored = units("8000", "8100", aliases=4, mirror=0.003)
    slow = (*RANKS, Rank("slow", arms=4, seek=0.012))
    across = (
        but(unit("8000", aliases=16, hit=0.5), "8001", rank="slow"),
        but(unit("8100", aliases=16, hit=0.5), "8101", rank="slow"),
        *units("8200", "8300", aliases=4),
    )
    below = (but(unit("8000", aliases=16, hit=0.7), "8003", rank="slow"), *OTHERS)
    shared = units(*FOUR, aliases=8, hit=0.7)
    busy = (Rank("rank0", foreign=1180.0), *RANKS[1:])
    return [
        full("full-128k-16-aliases", 128, 16, 40),
        full("full-64k-16-aliases", 64, 16, 40),
        full("full-64k-4-aliases", 64, 4, 40),
        full("full-32k-7-aliases", 32, 7, 20),
        full("full-32k-16-aliases", 32, 16, 20),
        full("full-8k-16-aliases", 8, 16, 6),
        full("full-8k-no-aliases", 8, 0, 6, volumes=12),
        full("full-aliases-hardly-used", 8, 16, 6, volumes=8, threads=6),
        replace(full("full-lpar-measured", 128, 8, 40), channel_measurement=True),
        replace(full("full-zvm", 64, 4, 40), where="zvm"),
        box(
            "full-everywhere",
            Truth("each LCU is at its own 10 MB/s, and their paths are calm", ("D1",), FOUR),
            all_full,
            Program("batch", volumes(*all_full), threads=48, kib=32, reads=1.0),
        ),
        box(
            "full-by-another-system",
            Truth("another system fills LCU 8000: this one's few requests wait inside", ("D1",), ("8000",)),
            (foreign, *OTHERS),
            Program("oltp", volumes(foreign), threads=8, kib=8, think=0.03),
            calm(OTHERS),
        ),
        box(
            "full-counted-as-queueing",
            Truth(
                "LCU 8000 is full and counts the wait as control unit queueing",
                ("D1", "D3", "D5c"),
                ("8000",),
            ),
            (queueing, *OTHERS),
            Program("batch", volumes(queueing), threads=16, kib=128, reads=1.0),
            calm(OTHERS),
        ),
        box(
            "flash-full",
            Truth("LCU 8000 is at its 100 MB/s; flash behind it is idle", ("D3", "D1"), ("8000",)),
            (unit("8000", aliases=12, mbps=100, command=0.00004), *OTHERS),
            Program("scan", volumes(unit("8000")), threads=24, kib=128, reads=1.0, sequential=True),
            calm(OTHERS),
            ranks=FLASH,
        ),
        box(
            "misses-evenly",
            Truth("half of the reads miss the cache on all LCUs, and wait for arms", ("D6",)),
            even,
            Program("oltp", volumes(*even), threads=24, kib=8, reads=0.95, think=0.01),
            ranks=tuple(replace(rank, seek=0.01) for rank in RANKS),
        ),
        box(
            "misses-on-one-lcu",
            Truth("reads of LCU 8000 miss the cache, and those of the others do not", ("D6",), ("8000",)),
            (missing, *OTHERS),
            Program("random", volumes(missing), threads=16, kib=8, reads=0.95, think=0.01),
            calm(OTHERS),
            ranks=tuple(replace(rank, seek=0.01) for rank in RANKS),
        ),
        box(
            "write-cache-full",
            Truth("the nonvolatile storage is full: the arrays do not destage fast enough", ("D7", "D9")),
            nvs,
            Program("load", volumes(*nvs), threads=40, kib=8, reads=0.1),
        ),
        box(
            "write-cache-full-in-a-burst",
            Truth(
                "since second 50 more is written than the arrays destage: the nonvolatile storage is full",
                ("D7", "D9"),
            ),
            nvs,
            calm(nvs, 100),
            Program("checkpoint", volumes(*nvs), threads=32, kib=8, reads=0.0, begin=50),
        ),
        box(
            "remote-mirror",
            Truth(
                "each write waits 3 ms for the remote mirror of LCUs 8000 and 8100", ("D8",), ("8000", "8100")
            ),
            (*mirrored, *units("8200", "8300", aliases=4)),
            Program(
                "oltp", (*volumes(*mirrored), *volumes(*units("8200", "8300"))), rate=500, kib=8, reads=0.5
            ),
        ),
        box(
            "rank-slow-below-two-lcus",
            Truth(
                "the arms of one rank are full, below a volume of 8000 and one of 8100",
                ("D9",),
                ("8000", "8100", "8001", "8101"),
            ),
            across,
            Program("oltp", ("8001", "8101"), threads=30, kib=8, reads=0.9),
            calm((*across[2:], unit("8000"), unit("8100")), 200),
            ranks=slow,
        ),
        box(
            "rank-slow-below-one-volume",
            Truth("the arms of the rank of volume 8003 are full", ("D9",), ("8003",)),
            below,
            Program("oltp", ("8003",), threads=16, kib=8, reads=0.9),
            calm(below, 200),
            ranks=slow,
        ),
        box(
            "rank-full-by-another-system",
            Truth(
                "another system keeps the arms of a rank busy, below the fourth volume of each LCU",
                ("D9",),
                ("8004", "8104", "8204", "8304", *FOUR),
            ),
            shared,
            Program("oltp", tuple(f"8{which}04" for which in range(4)), threads=16, kib=8, reads=0.9),
            calm(shared, 200),
            ranks=busy,
        ),
    ]


def on_the_way() -> list[Machine]:
    """Return machines of which channel paths, subchannels or the distance are short."""
    sixteen = units(*FOUR, hit=0.97)
    pooled = units(*FOUR, aliases=8, mbps=800)
    two = Paths((0x50, 0x51), mbps=100)
    escon = Paths((0x30, 0x31), mbps=17, kind="escon", setup=0.0003)
    apart = (*units("8000", "8100", aliases=8, mbps=800), *units("8200", "8300", paths="others", aliases=8))
    few = unit("8000", 2, aliases=1, command=0.0004)
    bare = unit("8000", command=0.0004)
    unused = unit("8000", aliases=8, aliases_used=False, command=0.0004)
    far = (*units("8000", "8100", aliases=4), unit("9000", paths="far", aliases=4))
    reserved = but(unit("8000"), "8001", reserved=0.6, reservation=0.012)
    scan = Program("scan", volumes(*pooled), threads=24, kib=256, reads=1.0, sequential=True)
    three = ("8001", "8101", "8201")
    return [
        box(
            "paths-full-escon",
            Truth("the two ESCON paths of all LCUs are full: Disc is the wait for them", ("D2",)),
            sixteen,
            Program("batch", volumes(*sixteen), threads=24, kib=64, reads=0.9),
            paths=escon,
        ),
        box(
            "paths-full-ficon",
            Truth("the two FICON paths of all LCUs are full", ("D2",)),
            pooled,
            scan,
            paths=two,
        ),
        box(
            "paths-full-lpar-measured",
            Truth("the two FICON paths of all LCUs are full", ("D2",)),
            pooled,
            scan,
            paths=two,
            channel_measurement=True,
        ),
        box(
            "paths-of-two-lcus-full",
            Truth("the paths of 8000 and 8100 are full, those of the other LCUs are calm", ("D2",)),
            apart,
            Program("scan", volumes(*apart[:2]), threads=24, kib=256, reads=1.0, sequential=True),
            calm(apart[2:], 200),
            groups=(("paths", two), ("others", Paths((0x60, 0x61)))),
        ),
        box(
            "path-lost",
            Truth("one of two paths of all LCUs is lost, and the other one is full", ("D13",)),
            pooled,
            scan,
            paths=replace(two, lost=(0x51,)),
        ),
        box(
            "aliases-too-few",
            Truth("the one alias of LCU 8000 is always in use", ("D4",), ("8000",)),
            (few, *OTHERS),
            Program("oltp", volumes(few), threads=16, kib=32, reads=0.95),
            calm(OTHERS),
        ),
        box(
            "aliases-missing-for-a-volume",
            Truth("volume 8001 does one request at a time, and eight come at once", ("D4b",), ("8001",)),
            (bare, *units("8100", "8200", "8300")),
            Program("oltp", ("8001",), threads=8, kib=16, reads=0.95),
            calm(sixteen),
        ),
        box(
            "aliases-missing-everywhere",
            Truth("hot volumes of three LCUs have no aliases", ("D4b",), three),
            units(*FOUR, command=0.0008),
            Program("oltp", three, threads=24, kib=16, reads=0.95),
            calm(sixteen),
        ),
        box(
            "aliases-missing-on-flash",
            Truth(
                "volume 8001 does one request at a time; the flash behind it has time", ("D4b",), ("8001",)
            ),
            units(*FOUR, command=0.0003),
            Program("oltp", ("8001",), threads=10, kib=8, reads=0.95),
            ranks=FLASH,
        ),
        box(
            "aliases-missing-in-zvm",
            Truth("minidisk 8002 does one request at a time, and eight come at once", ("D4b",), ("8002",)),
            (bare, *units("8100", "8200", "8300")),
            Program("oltp", ("8002",), threads=8, kib=16, reads=0.95),
            calm(sixteen),
            where="zvm",
            extended=False,
        ),
        box(
            "aliases-missing-in-a-burst",
            Truth(
                "since second 55 sixty requests at once come for volume 8001, which has no aliases",
                ("D4b",),
                ("8001",),
            ),
            (bare, *units("8100", "8200", "8300")),
            calm(sixteen, 100),
            Program("burst", ("8001",), threads=60, kib=16, reads=0.95, begin=55),
        ),
        box(
            "aliases-not-used",
            Truth(
                "the aliases of LCU 8000 do nothing, while requests wait for volume 8001",
                ("D4d",),
                ("8000", "8001"),
            ),
            (unused, *OTHERS),
            Program("oltp", ("8001",), threads=8, kib=16, reads=0.95),
            calm(OTHERS),
        ),
        box(
            "far",
            Truth("LCU 9000 is 200 km away: 2 ms for each read, pending", ("D5",), ("9000",)),
            far,
            calm(far, 400),
            groups=(("paths", FICON), ("far", Paths((0x60, 0x61), km=200))),
        ),
        box(
            "reserved-by-another-system",
            Truth("another system has volume 8001 reserved for 60 % of the time", ("D5b",), ("8001",)),
            (reserved, *units("8100", "8200", "8300")),
            Program("oltp", ("8001",), threads=8, kib=8, think=0.02),
            calm(sixteen),
        ),
    ]


def above_the_disks() -> list[Machine]:
    """Return machines of which Linux, its processors, its memory or its paths to SCSI disks are short."""
    four = units(*FOUR, aliases=4)
    pair = units("8000", "8100", overhead=0.001, command=0.0002)
    adapters = (Adapter("fc00"), Adapter("fc10"))
    narrow = Adapter("fc00", latency=1 / 60)
    batch = Program("batch", ("mpatha",), threads=16, kib=16)
    one_lun = (Lun("mpatha", ("fc00", "fc10")),)
    several = tuple(Lun(f"mpath{letter}", ("fc00", "fc10")) for letter in "abcd")
    swapping = Program("swap", ("8304",), threads=12, kib=4, reads=0.6, swaps=True, think=0.02)
    hung = but(unit("8000", aliases=4), "8002", hung_at=45)
    few = unit("8000", 2, aliases=1, command=0.0004)
    slow = (*RANKS, Rank("slow", arms=4, seek=0.012))
    return [
        box(
            "stripes-of-8k",
            Truth(
                "stripes of 8 KiB cut each request into eight, and the LCUs are busy with their number",
                ("D10b",),
                ("vgdata",),
            ),
            pair,
            Program("scan", ("vgdata",), threads=8, kib=64, reads=1.0, sequential=True),
            logical_volumes=(LogicalVolume("vgdata", volumes(*pair), stripe_kib=8),),
        ),
        box(
            "device-mapper-serialises",
            Truth(
                "one thread of the device mapper does one request in 4 ms; the disk has time",
                ("D11",),
                ("vgcrypt",),
            ),
            four,
            Program("oltp", ("vgcrypt",), threads=16, kib=8),
            calm(four[1:], 100),
            logical_volumes=(LogicalVolume("vgcrypt", ("8001",), serial=0.004),),
        ),
        Machine(
            "fcp-path-lost",
            Truth("one of two paths is lost, and the other one carries what both did", ("D13",)),
            (batch,),
            luns=one_lun,
            adapters=(narrow, Adapter("fc10", latency=1 / 60, lost_at=42)),
        ),
        Machine(
            "fcp-path-came-back",
            Truth(
                "both paths of mpatha, of 60 requests a second each, are full; an old backlog is behind one",
                ("D24", "D14c"),
                ("mpatha",),
            ),
            (batch,),
            luns=one_lun,
            adapters=(narrow, Adapter("fc10", latency=1 / 60, lost_at=20, back_at=42)),
        ),
        Machine(
            "fcp-path-slow",
            Truth("the path over adapter fc10 takes 8 ms longer than the other", ("D14",)),
            (Program("oltp", tuple(lun.name for lun in several), rate=160, kib=8),),
            luns=several,
            adapters=(adapters[0], Adapter("fc10", latency=0.008)),
        ),
        Machine(
            "fcp-failover",
            Truth("all I/O goes over one of two paths, which is full", ("D14b",)),
            (batch,),
            luns=(replace(one_lun[0], policy="failover"),),
            adapters=(Adapter("fc00", latency=0.002), Adapter("fc10", latency=0.002)),
        ),
        Machine(
            "fcp-pool-slow",
            Truth("the pool behind mpatha is full: two disks of 12 ms", ("D24",), ("mpatha",)),
            (batch, Program("oltp", ("mpathb", "mpathc"), rate=100, kib=8)),
            adapters=adapters,
            luns=(replace(one_lun[0], servers=2, service=0.012), *several[1:3]),
        ),
        Machine(
            "virtio-slow",
            Truth("the host answers data0 in 10 ms, one request after the other", ("D24",), ("data0",)),
            (Program("oltp", ("data0",), threads=12, kib=8), Program("other", ("data1",), rate=50)),
            virtual_disks=(VirtualDisk("data0", servers=1, service=0.01), VirtualDisk("data1")),
            where="kvm",
        ),
        box(
            "processors-full",
            Truth("two processors have work for more than two", ("D15",)),
            four,
            Program("compute", volumes(*four), threads=24, kib=8, think=0.02, cpu=0.004),
            processors=Processors(2),
        ),
        box(
            "processors-withheld",
            Truth("the hypervisor withholds half of the processors' time", ("D15",)),
            four,
            Program("compute", volumes(*four), threads=16, kib=8, think=0.02, cpu=0.003),
            processors=Processors(2, stolen=0.5),
            where="zvm",
        ),
        box(
            "memory-short",
            Truth("Linux reads pages back from swap all the time", ("D16",)),
            four,
            calm(four, 200),
            swapping,
        ),
        box(
            "volume-hangs",
            Truth("volume 8002 has answered nothing since second 45", ("D21",), ("8002",)),
            (hung, *OTHERS),
            calm((hung, *OTHERS), 100),
        ),
        box(
            "two-causes-aliases-and-rank",
            Truth(
                "LCU 8000 has too few aliases, and the rank of volume 8103 is full",
                ("D4", "D9"),
                ("8000", "8103"),
            ),
            (few, but(unit("8100", aliases=16, hit=0.7), "8103", rank="slow"), *OTHERS[1:]),
            Program("oltp", volumes(few), threads=12, kib=32, reads=0.95),
            Program("random", ("8103",), threads=16, kib=8, reads=0.9),
            calm(OTHERS),
            ranks=slow,
        ),
        box(
            "two-causes-processors-and-volume",
            Truth("the processors are full, and volume 8001 has no aliases", ("D15", "D4b")),
            units(*FOUR, command=0.0008),
            Program("oltp", ("8001",), threads=10, kib=16, reads=0.95, cpu=0),
            Program("compute", volumes(unit("8100")), threads=16, cpu=0.01, think=0.02),
            processors=Processors(2),
        ),
    ]


MACHINES: Final = {
    machine.name: machine
    for machine in (
        *healthy(),
        *inside_an_lcu(),
        *on_the_way(),
        *above_the_disks(),
        *healthy_by_little(),
        *short_elsewhere(),
        *reads_and_writes_apart(),
    )
}
"""All machines by their names."""
