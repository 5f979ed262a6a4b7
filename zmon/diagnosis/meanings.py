"""What each diagnosis of the catalogue means: when it holds, what must be measured for it, and what to do.

For help and the documents; a diagnosis itself has the numbers and names of its own case.
"""

from __future__ import annotations

from typing import Final

from zmon.base.record import NamedTuple


class DiagnosisMeaning(NamedTuple):
    """What is said of a diagnosis in general."""

    holds: str
    """When it holds: its evidence."""
    needs: str
    """What has to be measured or given."""
    advice: str
    """What to do, in sentences."""


MEANINGS: Final = {
    "D1": DiagnosisMeaning(
        "requests wait inside, beyond cache misses, for more than half of a transfer; most of its "
        "volumes are as slow. Without cache statistics, small requests count only beyond 10 ms, and it is "
        "possible at most",
        "CMF; --cache to be sure",
        "Move data to LCUs that are not full: MOVES lists files. More channel paths or aliases do not"
        " help. Where all LCUs are full, add LCUs, disks or cache.",
    ),
    "D2": DiagnosisMeaning(
        "the busiest is 70 % busy and requests pend, or 95 %",
        "CMF, or the LPAR's channels",
        "Add channel paths, or move load to LCUs behind other paths.",
    ),
    "D3": DiagnosisMeaning(
        "an LCU is full with twice its even share of the bytes, while a third of the LCUs have less "
        "than a quarter of theirs",
        "CMF, two LCUs",
        "Spread these data over all LCUs: SPREAD shows where they lie, MOVES lists the files to move."
        " It needs a listing: --listing.",
    ),
    "D4": DiagnosisMeaning(
        "70 % of the pool are in use, and requests wait in Linux for longer than half of their service",
        "CMF",
        "Define more aliases for the LCU, or spread what lies on the volumes over more of them.",
    ),
    "D4b": DiagnosisMeaning(
        "requests wait in Linux for volumes with one subchannel, longer than half of their service",
        "CMF",
        "Turn on HyperPAV and define aliases for the LCU, or spread what lies on the volume over more"
        " volumes.",
    ),
    "D4c": DiagnosisMeaning(
        "small requests that the cache answers wait inside all LCUs, and as many came over aliases as wait; "
        "a comparison with fewer aliases must confirm it, or that the LCU is full",
        "CMF",
        "Try half of the aliases, and compare throughput and Disc.",
    ),
    "D4d": DiagnosisMeaning(
        "requests wait for a volume while its aliases are idle",
        "CMF",
        "Use multibus with a small rr_min_io over base and aliases, or HyperPAV.",
    ),
    "D5": DiagnosisMeaning(
        "Pend of an LCU is above 1 ms and twice that of the best LCU, or of an hour before, with calm paths",
        "CMF",
        "Check the channel paths of the LCU: a dirty link, a long way or a busy host adapter. Vary "
        "off one after the other: without the slow one Pend falls.",
    ),
    "D5b": DiagnosisMeaning(
        "0.5 ms device busy per start of I/O",
        "extended CMF",
        "Find the other systems that have the volumes online, and do not share busy volumes.",
    ),
    "D5c": DiagnosisMeaning(
        "0.1 ms per start of I/O",
        "extended CMF",
        "Spread the load over more LCUs, or look for the other systems that load them.",
    ),
    "D6": DiagnosisMeaning(
        "where requests wait: fewer than 90 % hits, and Disc is most of Serv",
        "cache statistics",
        "Give the database a larger buffer pool, so that it reads less, or use faster disks.",
    ),
    "D7": DiagnosisMeaning(
        "1 % of the writes are delayed, and writes take longer than reads",
        "cache statistics",
        "Find who writes most (USERIO); spread these writes over time and over more disk arrays.",
    ),
    "D8": DiagnosisMeaning(
        "writes take 0.5 ms longer than reads where nothing waits; as long on LCUs with other load, "
        "or the volumes are primary ones",
        "diskstats, cache statistics",
        "Ask the storage administrator about the mirror: its distance, its links and their load.",
    ),
    "D9": DiagnosisMeaning(
        "requests wait inside, and they miss the cache, or are small writes",
        "CMF; cache statistics",
        "Spread the data over more disk arrays; zmon size computes how many disks they need.",
    ),
    "D10": DiagnosisMeaning(
        "Conn per byte is twice that of another LCU",
        "CMF",
        "Compare the speed of the paths of the LCU with that of the others.",
    ),
    "D10b": DiagnosisMeaning(
        "a stripe cuts each request into four or more of 16 KiB at most; or sequential reads of 16 "
        "KiB where requests wait",
        "block devices; cache statistics",
        "Use stripes of 1 MB or more, more read-ahead, or larger reads of the database.",
    ),
    "D11": DiagnosisMeaning(
        "a request to a dm or md device takes a fifth longer than on the disks below, and one waits",
        "block devices",
        "Look at the scheduler of the dm or md device, at its queue/nr_requests, and at the selector "
        "of its paths.",
    ),
    "D11b": DiagnosisMeaning(
        "90 % of nr_requests on average",
        "block devices",
        "Relieve the volume first: more tags (queue/nr_requests) only move the queue.",
    ),
    "D12": DiagnosisMeaning(
        "requests wait for volumes on which logs and data lie",
        "CMF, a listing with roles",
        "Put the logs on volumes of their own, that nothing else reads or writes.",
    ),
    "D13": DiagnosisMeaning(
        "a device has channel paths that it cannot use, or paths of a multipath map failed",
        "path masks, multipath maps",
        "Bring the path back: chchp -v 1 if it is varied off, chchp -c 1 or the HMC if it is "
        "configured off; else have cable, switch and port checked. IOCHANGE says when it was lost.",
    ),
    "D13b": DiagnosisMeaning(
        "all FCP paths of a disk go through one adapter or port, or all channel paths of an LCU through "
        "one physical channel (PCHID)",
        "multipath maps, channel paths",
        "Add paths over another adapter, channel or port, on another card and another switch.",
    ),
    "D14": DiagnosisMeaning(
        "one path of a group answers much slower than its siblings, or has three times their requests",
        "block devices, multipath maps",
        "Have the link of the slow path checked, and take the path off until then; where one has most"
        " requests, set rr_min_io to 100 or use the selector service-time.",
    ),
    "D14b": DiagnosisMeaning(
        "failover with equal priorities, and the path or what waits for it matters",
        "multipath maps",
        "Put all paths into one group: path_grouping_policy multibus in multipath.conf, or "
        "group_by_prio where the storage gives priorities.",
    ),
    "D14c": DiagnosisMeaning(
        "the adapters are full",
        "load of the FCP adapters",
        "Add FCP paths, on other adapter cards.",
    ),
    "D15": DiagnosisMeaning(
        "97 % busy and tasks wait a tenth of the time, or 90 % and half of it, without programs at nice and "
        "zmon itself; or 10 % stolen by the hypervisor",
        "/proc/stat, PSI, /proc/schedstat",
        "Give this Linux more processors, or a larger share of them where the hypervisor withholds "
        "them; a guest needs no more virtual processors than the LPAR has.",
    ),
    "D15b": DiagnosisMeaning(
        "processors are full, and most requests go over FCP",
        "/proc/stat",
        "Add processors. The same I/O over FICON takes less processor time.",
    ),
    "D16": DiagnosisMeaning(
        "pages are read back from swap, or tasks wait for memory",
        "/proc/vmstat, PSI",
        "Give this Linux more memory, or let its programs use less.",
    ),
    "D17": DiagnosisMeaning(
        "more than two tasks a CPU are blocked, and I/O stalls them",
        "/proc/stat, PSI",
        "See where the tasks wait: BLOCKED lists them. Network file systems are likely where no disk "
        "is slow.",
    ),
    "D18": DiagnosisMeaning(
        "not known where 40 % of memory or more is page cache while swap is used; never diagnosed, as "
        "zmon does not read whether databases open their files with O_DIRECT",
        "/proc/meminfo; O_DIRECT among the flags in /proc/PID/fdinfo, which zmon does not read",
        "Look in /proc/PID/fdinfo of the database. Where it does not read past the page cache, let it "
        "(direct I/O), and give its buffer pool the memory.",
    ),
    "D19": DiagnosisMeaning(
        "requests wait, and HPF of a device or path is off",
        "sysfs",
        "Have HPF switched on in the storage server and in the I/O configuration.",
    ),
    "D20": DiagnosisMeaning(
        "requests wait for a few volumes of a tablespace or logical volume, while others do nothing",
        "block devices, a listing",
        "Restripe the logical volume over all volumes of its group, or spread the tablespace again "
        "over all its volumes.",
    ),
    "D21": DiagnosisMeaning(
        "requests, and none completed for 5 seconds or more; or the device mapper holds its I/O back "
        "for more than a second while tasks are blocked",
        "block devices, /proc/stat",
        "See dmesg and the paths of the volume; another system may have reserved it. What is "
        "suspended goes on with dmsetup resume, as root, once it is known who suspended it.",
    ),
    "D22": DiagnosisMeaning(
        "it can be switched on; or zmon itself uses a tenth of the processors",
        "sysfs, /proc/stat",
        "Switch the measurement on: the diagnosis names the command. Without it others are not known. Where "
        "zmon costs much, take samples less often (--interval), or without what costs most: ZMON lists it.",
    ),
    "D23": DiagnosisMeaning(
        "requests wait, the LCU has three times its bytes of an hour before, or of the last calm hour"
        " if requests waited then; in a short recording, of its first ten calm minutes or more",
        "an hour of recording, or ten calm minutes; control groups name who it is",
        "Find who does it: the diagnosis names the service where control groups tell it, USER and "
        "UDETAIL show its I/O. Move that work to another time, or its data to other LCUs.",
    ),
    "D24": DiagnosisMeaning(
        "requests wait for a virtio, SCSI or NVMe disk for longer than a slow disk takes",
        "block devices",
        "Ask who runs the host or the storage server what limits the disk; an NVMe disk is this Linux's own.",
    ),
}
