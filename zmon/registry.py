"""The sources of a sample: which function reads which kinds from which files, how often, and at what cost.

The sampler, `zmon capture` and the table in docs/sources.md are made from this list.  To add a source,
declare its kind in `zmon.kinds`, write the function that reads it in a module of `zmon.kernel`, and name
both here.
"""

from __future__ import annotations

from zmon.base.absent import declared
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.kinds import (
    ADAPTER,
    BLOCK,
    BLOCKED_TASK,
    CACHE,
    CHANNEL,
    CLAIM,
    CMF,
    CONTAINER,
    CPU,
    DASD,
    DEVICE,
    DIAGNOSE,
    EXACT,
    GUEST,
    INTERFACE,
    INTERRUPT,
    LAYER,
    LPAR,
    LPAR_CPU,
    LUN,
    MACHINE,
    MEMORY,
    MOUNT,
    MULTIPATH,
    OPEN_FILE,
    PATH,
    PCI_FUNCTION,
    PHYSICAL_CPU,
    PRESSURE,
    PROCESS,
    PROFILE,
    QETH,
    ROUNDS,
    SETTING,
    SWAP,
    TARGET_PORT,
    TASKS,
    UNIT,
    UNIT_IO,
    UNLISTED,
    VIRTUAL_CPU,
)

if TYPE_CHECKING:
    from zmon.sample import Kind


class Source(NamedTuple):
    """One source: the kinds it reads, its function, files, interval and cost."""

    name: str
    what: str
    """The files and calls, as the screen ZMON shows them."""
    kinds: tuple[Kind, ...]
    reader: str
    """`package.module.name` below zmon: a function of the tree that returns a frame or several, or, where
    something is remembered between samples, a class made of the tree and the choice, with a method `read`."""
    every: float = 0.0
    """Seconds between two readings at the least."""
    option: str = ""
    """The field of `zmon.kernel.sampler.Choice` that switches it on for a live machine."""
    off: str = ""
    """The reason, and the option that switches it on."""
    unrecorded: str = ""
    """What is said in its place where a recording is looked at, and the option that records it."""
    whole_every: float = 0.0
    """Seconds within which the reader gets its last frame, to repeat from it what seldom changes."""
    on_demand: bool = False
    """Whether it is also read while a screen is open that is about its kinds."""
    captured: str = ""
    """The files in a capture, if they are others."""
    counters: tuple[str, ...] = ()
    """Files that change all the time, which a capture reads first in each pass, in one burst."""
    seldom: tuple[str, ...] = ()
    """Files that a capture reads at most every ten seconds."""
    identity: tuple[str, ...] = ()
    """Files that a capture reads afterwards, beside the attributes of readers: they seldom change."""
    reads: str = ""
    """This and what follows is for docs/sources.md: the files, ioctls and calls ..."""
    needs: str = "nothing"
    often: str = "every sample"
    serves: str = ""
    """... and the screens and facts that need them."""


IDENTITY_EVERY: Final = 60.0
"""Seconds after which labels are read again when no event reported a change."""

SETTINGS_EVERY: Final = 600.0
"""Seconds after which settings are read again: people change them."""

CP_EVERY: Final = 600.0
"""Seconds for which an answer of CP about disks is valid: LINK and ATTACH change it."""

NO_CACHE: Final = "Cache statistics are off: reading them costs one I/O per volume. Start zmon with --cache."

NO_PROCESSES: Final = (
    "processes are read only while USTAT, UPROC, BLOCKED or UDETAIL is open, from the next sample on;"
    " --processes reads them with each sample"
)

_SUBCHANNEL: Final = "sys/devices/css0/*.?.????"
_DEVICE: Final = f"{_SUBCHANNEL}/*.?.????"

SOURCES: Final = (
    Source(
        "disks",
        "/proc/diskstats, cmf/* of devices",
        (BLOCK, CMF),
        "kernel.activity.DiskReader",
        counters=("proc/diskstats", f"{_DEVICE}/cmf/*"),
        identity=(
            "sys/module/cmf/parameters/{format,maxchannels}",
            "sys/block/*/{dev,size,ro,diskseq}",
            "sys/block/*/device",
            "sys/block/*/device/model",
            "sys/block/*/queue/{nr_requests,logical_block_size,iostats,rotational,scheduler}",
        ),
        reads="`/proc/diskstats`; `cmf/*` of ccw devices that had I/O, of the others in turn within a minute",
        needs="nothing; `cmb_enable` = 1 for times",
        serves="DEVICE, CTLUNIT",
    ),
    Source(
        "totals",
        "BIODASDREADALLCMB",
        (EXACT,),
        "kernel.cmf.read_totals",
        option="exact",
        off="may hang if an I/O never ends: --exact",
        unrecorded="exact totals were not recorded; zmon record --exact records them",
        reads="`BIODASDREADALLCMB` on base devices",
        needs="group `disk`; `--exact`",
        often="every sample; off by default, because it waits for I/O in progress",
        serves="exact times in DEVICE",
    ),
    Source(
        "channels",
        "/sys/devices/css0/chp0.*",
        (CHANNEL,),
        "kernel.channel_path.read_channels",
        whole_every=IDENTITY_EVERY,
        counters=("sys/devices/css0/chp*/{measurement,ext_measurement}",),
        seldom=("sys/devices/css0/chp*/configure",),  # may ask the service processor
        identity=(
            "sys/devices/css0/cm_enable",
            "sys/devices/css0/chp*/status",
            "sys/devices/css0/chp*/{measurement_chars,measurement_chars_full}",
        ),
        reads="`/sys/devices/css0/chp0.*`",
        needs="root for load; an LPAR; `cm_enable` = 1; global performance data at the HMC",
        often="every sample `status` and the counters; the rest at hot-plug, else once a minute",
        serves="CHANNEL",
    ),
    Source(
        "cpus",
        "/proc/stat",
        (CPU, TASKS),
        "kernel.proc_stat.read_processors",
        whole_every=IDENTITY_EVERY,
        counters=("proc/{stat,schedstat}",),
        identity=(
            "sys/devices/system/cpu/{online,present,dispatching}",
            "sys/devices/system/cpu/cpu*/{online,dedicated,configure}",
            "proc/cpuinfo",
        ),
        reads="`/proc/stat`, `/proc/schedstat`; of each CPU `idle_count` and `idle_time_us`, which s390x has",
        serves="CPU, SYSTEM, PROCLOG, DIAGNOSE",
    ),
    Source(
        "interrupts",
        "/proc/interrupts",
        (INTERRUPT,),
        "kernel.interrupts.read_interrupts",
        counters=("proc/interrupts",),
        reads="`/proc/interrupts`",
        serves="SYSTEM",
    ),
    Source(
        "diagnoses",
        "debugfs diag_stat",
        (DIAGNOSE,),
        "kernel.interrupts.read_diagnoses",
        counters=("sys/kernel/debug/diag_stat",),
        reads="`/sys/kernel/debug/diag_stat`",
        needs="root",
        serves="SYSTEM",
    ),
    Source(
        "memory",
        "/proc/meminfo",
        (MEMORY,),
        "kernel.proc_meminfo.read_memory",
        counters=("proc/{meminfo,vmstat}", "proc/sys/vm/{cmm_pages,cmm_timed_pages,cmm_timeout}"),
        reads="`/proc/meminfo`, `/proc/vmstat`; in a guest of z/VM `/proc/sys/vm/cmm_*`",
        serves="CPU, STORAGE, PAGELOG, DIAGNOSE",
    ),
    Source(
        "pressure",
        "/proc/pressure",
        (PRESSURE,),
        "kernel.proc_pressure.read_pressure",
        counters=("proc/pressure/{cpu,io,memory}",),
        reads="`/proc/pressure/cpu`, `io`, `memory`",
        serves="PRESSURE",
    ),
    Source(
        "units",
        "/sys/fs/cgroup",
        (UNIT, UNIT_IO),
        "kernel.cgroup.UnitReader",
        reads="below `/sys/fs/cgroup` of each service, container, guest and session `io.stat`, `cpu.stat`,"
        " `io.pressure`; where something happened also `cpu.pressure`, `memory.*`, `pids.current`; which"
        " database and instance the processes tell, every 10 minutes",
        needs="control groups version 2; `IOAccounting=yes` for I/O",
        serves="USER, USERIO, UPAGE, OVERVIEW",
    ),
    Source(
        "processes",
        "/proc/PID",
        (ROUNDS, PROCESS, BLOCKED_TASK, OPEN_FILE),
        "kernel.processes.ProcessReader",
        option="processes",
        off=NO_PROCESSES,
        unrecorded="processes were not recorded; zmon record --processes records them",
        on_demand=True,
        reads="`/proc/PID/stat`, of other tasks than the first `/proc/PID/task/TID/stat`, five times a second"
        " or as often as costs 5 % of a CPU; with each sample `schedstat`, of those that ran also `io`,"
        " less what they took over from children that ended; of"
        " tasks in state D `wchan`, `syscall`, `fdinfo`; of processes that do I/O every half minute `fd`,"
        " `fdinfo`, `mountinfo`; `cgroup` once a minute; `/proc/loadavg`",
        needs="root for `io`, `wchan` and open files of others; `--processes`",
        often="every sample, while one of these screens is open; else off, as it costs by the process",
        serves="USTAT, UPROC, BLOCKED, UDETAIL, DIAGNOSE",
    ),
    Source(
        "devices",
        "/sys/devices/css0/0.*",
        (DEVICE,),
        "kernel.ccw_device.read_devices",
        IDENTITY_EVERY,
        identity=(
            f"{_SUBCHANNEL}/{{type,chpids,pimpampom,dev_busid,driver}}",
            "sys/bus/ccw/devices/*",
            f"{_DEVICE}/{{driver,copy_pair,expires,retries,timeout}}",
            f"{_DEVICE}/paths_info/*/fc_security",
            f"{_DEVICE}/{{failed,in_recovery,peer_wwnn,peer_wwpn,card_version,lic_version}}",
        ),
        reads="subchannels and ccw devices below `/sys/devices/css0`",
        often="at hot-plug, else once a minute",
        serves="identity, paths, LCU",
    ),
    Source(
        "volumes",
        "/proc/dasd/devices, BIODASDINFO2, udev",
        (DASD,),
        "kernel.dasd_ioctl.read_dasd",
        IDENTITY_EVERY,
        identity=(
            "proc/dasd/devices",
            "sys/module/dasd_mod/parameters/{queue_depth,nr_hw_queues}",
            "run/udev/data/b*",
        ),
        reads="`/proc/dasd/devices`, `BIODASDINFO2`, udev's database",
        needs="group `disk` for the ioctl",
        often="at hot-plug, else once a minute",
        serves="volume serial, LSS, storage type",
    ),
    Source(
        "mounts",
        "/proc/self/mountinfo",
        (MOUNT,),
        "kernel.mountinfo.read_mounts",
        IDENTITY_EVERY,
        identity=("proc/self/{mountinfo,ns/mnt}", "sys/fs/btrfs/*/devices/*"),
        reads="`/proc/self/mountinfo`; for btrfs `BTRFS_IOC_FS_INFO`, `BTRFS_IOC_DEV_INFO`,"
        " `BTRFS_IOC_TREE_SEARCH_V2`",
        needs="root for the chunks of btrfs",
        often="once a minute",
        serves="which file system a file is on",
    ),
    Source(
        "swaps",
        "/proc/swaps",
        (SWAP,),
        "kernel.mountinfo.read_swaps",
        10.0,
        identity=("proc/swaps",),
        reads="`/proc/swaps`",
        often="every 10 s",
        serves="STORAGE, `zmon where`: active swap",
    ),
    Source(
        "layers",
        "/sys/block, device-mapper tables",
        (LAYER,),
        "kernel.sys_block.renew_layers",
        whole_every=IDENTITY_EVERY,
        counters=("sys/block/*/dm/suspended",),
        identity=(
            "sys/block/*/*[0-9]/{dev,partition,start,size}",
            "sys/block/*/{slaves,holders}/*",
            "sys/block/*/*[0-9]/holders/*",
            "sys/block/*/dm/{name,uuid}",
            "sys/block/*/md/{level,layout,chunk_size,raid_disks,array_state}",
            "sys/block/*/md/{metadata_version,reshape_position}",
            "sys/block/*/md/dev-*/{slot,offset,size,state}",
            "sys/block/*/loop/{backing_file,offset,sizelimit}",
            "sys/block/sd*/device/{hba_id,wwpn,fcp_lun,state,vpd_pg80}",
            "proc/{mdstat,partitions}",
        ),
        reads="`/sys/block`, `/sys/dev/block`, `DM_TABLE_STATUS` on `/dev/mapper/control`, udev's database;"
        " for loop devices `LOOP_GET_STATUS64`, and `FS_IOC_FIEMAP` of the file",
        needs="root for device-mapper tables",
        often="once a minute; with each sample which devices of the device mapper are suspended",
        serves="what volumes and arrays are made of",
    ),
    Source(
        "paths",
        "multipathd, dm status, /sys/block/*/device",
        (MULTIPATH, PATH),
        "kernel.path_reader.PathReader",
        counters=("sys/block/sd*/device/state",),
        reads="`/sys/block/sd*/device/state` of paths; `DM_TABLE_STATUS` on `/dev/mapper/control`; `list maps"
        " json` of multipathd, at most once in ten seconds",
        needs="root for failures and bytes in flight; multipathd, which answers everybody",
        serves="MPATH, EXCEPT",
    ),
    Source(
        "adapters",
        "/sys/class/scsi_host, fc_host, scsi_device",
        (ADAPTER, LUN, TARGET_PORT),
        "kernel.zfcp.ZfcpReader",
        10.0,  # three requests to each adapter
        counters=(
            "sys/class/scsi_host/*/queue_full",  # the other files ask the adapter
            "sys/class/scsi_device/*/device/{read_latency,write_latency,cmd_latency}",
        ),
        identity=(
            "sys/class/fc_host/*",
            "sys/class/scsi_device/*/device/hba_id",
            "sys/class/scsi_device/*/device/block/*",
        ),
        reads="`utilization`, `requests`, `megabytes`, `queue_full` of each FCP adapter; names and states in"
        " `/sys/class/fc_host` and `fc_remote_ports`; latencies and error counts of each LUN in"
        " `/sys/class/scsi_device`",
        often="every 10 s: three requests to each adapter",
        serves="FCP, FCPPORT, MPATH",
    ),
    Source(
        "network",
        "/proc/net/dev, /sys/devices/qeth",
        (INTERFACE, QETH),
        "kernel.net_dev.NetworkReader",
        counters=("proc/self/net/dev", "sys/class/net/*/operstate"),
        identity=("sys/class/net/*",),
        reads="`/proc/net/dev`, `/sys/class/net/*/operstate`; of OSA and HiperSockets cards `state` and"
        " `online` below `/sys/devices/qeth`, once a minute what else describes them. No capture of a real"
        " machine had such a card: the forms are those of the kernel's source",
        serves="NETWORK, PCI",
    ),
    Source(
        "pci",
        "/sys/bus/pci, debugfs pci",
        (PCI_FUNCTION,),
        "kernel.pci_function.read_functions",
        10.0,  # the machine updates its measurement every few seconds
        counters=("sys/kernel/debug/pci/*/statistics",),
        identity=(
            "sys/bus/pci/devices/*",
            "sys/bus/pci/devices/*/{function_id,function_handle,util_string}",
            "sys/bus/pci/devices/*/pfip/segment?",
            "sys/bus/pci/devices/*/driver",
            "sys/bus/pci/devices/*/net/*",
            "sys/bus/pci/devices/*/nvme/nvme*/nvme*",
            "sys/bus/pci/slots/*/{power,address}",
        ),
        reads="`/sys/bus/pci/devices`, `/sys/bus/pci/slots`; `/sys/kernel/debug/pci/*/statistics`. No capture"
        " of a real machine had a PCI function: the forms are those of the kernel's source",
        needs="root for debugfs",
        often="every 10 s",
        serves="PCI",
    ),
    Source(
        "containers",
        "FS_IOC_FIEMAP of listed files",
        (CONTAINER,),
        "kernel.file_extents.ContainerReader",
        600.0,  # they seldom grow or move
        "lists_containers",
        UNLISTED.reason,
        reads="`FS_IOC_FIEMAP` and `/proc/self/fdinfo` of listed files; on XFS with a realtime device"
        " `FS_IOC_FSGETXATTR`",
        needs="permission to read the file: root, or the database's user; `--listing`",
        often="every 10 minutes; off by default, because a large file has many extents",
        serves="FILES, SPREAD, `zmon where`",
    ),
    Source(
        "machine",
        "/proc/sysinfo, s390_sthyi",
        (MACHINE,),
        "kernel.sysinfo.read_machine",
        IDENTITY_EVERY,
        identity=(
            "proc/{sysinfo,service_levels}",
            "sys/firmware/ocf/cpc_name",
            "sys/firmware/cpi/{system_name,sysplex_name,system_type,system_level}",
            "proc/version",
            "proc/sys/kernel/{hostname,osrelease,arch}",
            "proc/sys/kernel/random/boot_id",
        ),
        reads="`/proc/sysinfo`, `s390_sthyi`",
        often="once a minute",
        serves="header, LPAR",
    ),
    Source(
        "settings",
        "/proc/sys/*, /sys/*, multipath.conf",
        (SETTING,),
        "kernel.setting.read_settings",
        SETTINGS_EVERY,
        identity=(
            "proc/cio_ignore",
            "sys/kernel/mm/hugepages/*/{nr_hugepages,free_hugepages,resv_hugepages}",
        ),
        reads="files below `/proc/sys`, `/sys/kernel`, `/sys/class/fc_host`, `/sys/block/*/queue`; of"
        " `/etc/multipath.conf`, `/etc/fstab`, `/proc/cmdline` and the names of processes only what"
        " CHECK needs; states of multipath devices",
        needs="root for the states of paths",
        often="every 10 minutes",
        serves="CHECK",
    ),
    Source(
        "hypervisor",
        "diag 204, diag 2fc, diag 0c, hypfs",
        (LPAR, LPAR_CPU, PHYSICAL_CPU, GUEST, VIRTUAL_CPU),
        "kernel.hypfs.read_partitions",
        10.0,  # the kernel calls diag 204 very expensive
        "hypervisor",
        "switched off with --no-hypervisor",
        counters=("sys/kernel/debug/s390_hypfs/{diag_2fc,diag_0c}",),
        seldom=("sys/kernel/debug/s390_hypfs/diag_204",),
        identity=(
            "sys/hypervisor/s390/hyp/type",
            "sys/hypervisor/s390/cpus/*",
            "sys/hypervisor/s390/cpus/*/*",
            "sys/hypervisor/s390/systems/*/*/*",
            "sys/hypervisor/s390/systems/*/cpus/*/*",
        ),
        reads="diag 204, or diag 2fc and diag 0c, in debugfs; else the text tree of hypfs",
        needs="root",
        often="every 10 s; off with `--no-hypervisor`",
        serves="LPAR, CPU",
    ),
    Source(
        "profile",
        "/proc/dasd/statistics, debugfs/dasd",
        (PROFILE,),
        "kernel.dasd_statistics.read_profiles",
        10.0,  # a file for each volume and device
        counters=("proc/dasd/statistics", "sys/kernel/debug/dasd/*/statistics"),
        reads="`/sys/kernel/debug/dasd/*/statistics`, else `/proc/dasd/statistics`",
        needs="root for debugfs; a kernel with `CONFIG_DASD_PROFILE`; statistics switched on (see below)",
        often="every 10 s",
        serves="DASDSTAT",
    ),
    Source(
        "cache",
        "BIODASDPSRD",
        (CACHE,),
        "kernel.dasd_ioctl.read_cache",
        60.0,  # a channel program per volume
        "cache",
        NO_CACHE,
        unrecorded="cache statistics were not recorded; zmon record --cache records them",
        reads="`BIODASDPSRD`",
        needs="group `disk`; `--cache`",
        often="once a minute; off by default, because it costs a channel program per volume",
        serves="CACHEXT",
    ),
    Source(
        "cp",
        "/dev/vmcp",
        (CLAIM,),
        "cp.claim_sources.read_cp",
        CP_EVERY,
        "cp",
        "asks the hypervisor: --cp",
        unrecorded="CP was not asked when this was recorded; zmon record --cp asks it",
        captured="cp/*.txt",
        reads="`/dev/vmcp`: `QUERY USERID`, `QUERY VIRTUAL DASD`",
        needs="root in a guest of z/VM; `--cp`",
        often="every 10 minutes; off by default, because a CPU's interrupts are disabled while a"
        " command runs",
        serves="real device and label of each disk; [cp.md](cp.md)",
    ),
)
"""Every source, in the order in which they are read and shown."""

UNRECORDED: Final = {
    declared(f"{source.option}-off", source.off).code: source.unrecorded
    for source in SOURCES
    if source.unrecorded
}
"""What a recording says in the place of why a source was off when it was made, by the code of that."""

UNREAD_COUNTERS: Final = ("proc/{uptime,loadavg}",)
"""Files that a capture keeps although no source reads them yet: among the counters ..."""
UNREAD_IDENTITY: Final = ("proc/devices",)
"""... and after them."""
