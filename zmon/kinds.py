"""The kinds of things that are sampled, and for each field its meaning, unit, width and privacy.

Their sources are declared in `zmon.registry`.

Units are spelled out per field; times are nanoseconds unless a unit says otherwise.  A counter
with a modulus wraps there; one without a modulus never wraps in practice, so a fall is a reset.
Widths and reset behaviour: docs/sources.md, which cites the kernel's own files.
"""

from __future__ import annotations

from zmon.base.absent import Absent, Reasons, absent, declared
from zmon.base.light_typing import Final
from zmon.sample import Field, Kind, Meaning

U16: Final = 1 << 16
U32: Final = 1 << 32
TICK: Final = 128_000
"""ns per tick of the channel subsystem's clock (128 microseconds)."""

KEEP: Final = "keep"
"""Privacy of a label that identifies nothing: an anonymous recording keeps it."""
UID: Final = "uid"
"""Vendor, SSID and unit address are kept, the serial is replaced."""
SERIAL: Final = "serial"
DISK: Final = "disk"
"""What the kernel calls a disk is kept, other names are replaced."""
WORDS: Final = "words"
"""The words that zmon itself uses are kept, the others are replaced."""
UNIT_NAME: Final = "unit"
"""The path of a control group."""
TASK_NAME: Final = "task"
"""What a process calls itself."""

INTERFACE_NAME: Final = "interface"
"""What the kernel and udev call a network interface is kept, other names are replaced."""

INTERFACE_FORM: Final = (
    r"(?:eth|hsi|ib|osn|lo)[0-9]{0,4}|en[a-zP][0-9a-fsnpfvd]{1,12}|ib[ps][0-9a-fsnpfvd]{1,11}"
)
BUSID_FORM: Final = r"[0-9a-f]{1,2}\.[0-9a-f]\.[0-9a-f]{4}"
DISK_FORM: Final = (
    r"(?:(?:dasd|sd|vd|xvd|hd|scm)[a-z]{1,4}[0-9]{0,3}|(?:dm-|md|loop|ram|zram|sr|nbd|pmem|mmcblk|dasd)[0-9]{1,5}"
    r"|nvme[0-9]{1,3}(?:c[0-9]{1,3})?n[0-9]{1,4}|dev[0-9]{1,5}-[0-9]{1,8})"
)


def _labels(*names: str, privacy: str, source: str = "{}") -> tuple[Field, ...]:
    return tuple(Field(n, Meaning.LABEL, "", source.format(n), privacy=privacy) for n in names)


def _identity(name: str, unit: str = "", source: str = "", privacy: str = KEEP) -> Field:
    return Field(name, Meaning.IDENTITY, unit, source, privacy=privacy)


def _counters(
    *names: str, unit: str = "", source: str = "", modulus: int = 0, wraps_after: float = 0.0
) -> tuple[Field, ...]:
    return tuple(Field(n, Meaning.COUNTER, unit, source, modulus, wraps_after) for n in names)


def _gauges(*names: str, unit: str = "", source: str = "") -> tuple[Field, ...]:
    return tuple(Field(n, Meaning.GAUGE, unit, source) for n in names)


MACHINE: Final = Kind(
    "machine",
    "always `machine`",
    (
        *_labels("manufacturer", "type", "model", privacy=KEEP, source="/proc/sysinfo"),
        *_labels("sequence", "plant", privacy=SERIAL, source="/proc/sysinfo"),
        *_labels("capacity_model", privacy=KEEP, source="/proc/sysinfo"),
        *_labels("lpar_name", privacy="lpar", source="/proc/sysinfo"),
        *_labels("lpar_number", "lpar_characteristics", privacy=KEEP, source="/proc/sysinfo"),
        *_labels("vm_name", privacy="system", source="/proc/sysinfo"),
        *_labels("control_program", "outer_programs", privacy=KEEP, source="/proc/sysinfo"),
        *_labels("guest_name", privacy="guest", source="/proc/sysinfo"),
        *_labels("environment", privacy=KEEP, source="/proc/sysinfo"),  # lpar, zvm, kvm, none
        *_gauges(
            "cpus_total", "cpus_configured", "cpus_standby", "cpus_reserved",
            "lpar_cpus", "lpar_cpus_configured", "lpar_cpus_dedicated", "lpar_cpus_shared",
            "capability", "lpar_adjustment", "vm_cpus_configured", "vm_adjustment",
            source="/proc/sysinfo",
        ),
        *_labels("hostname", privacy="host", source="uname"),
        *_labels("kernel", "architecture", privacy=KEEP, source="uname"),
        Field("cm_enable", Meaning.GAUGE, "", "/sys/devices/css0/cm_enable"),
        *_gauges("cap_weight_cp", "cap_absolute_cp", "cap_weight_ifl", "cap_absolute_ifl",
                 "cap_group_cp", "cap_group_ifl",
                 unit="hundredths of a core", source="s390_sthyi"),
        *_labels("cap_group_name", privacy="group", source="s390_sthyi"),
    ),
    key_form="machine",
    plural="facts of the machine",
)  # fmt: skip

CHANNEL: Final = Kind(
    "channel",
    "CHPID as the kernel names it: 0.4e",
    (
        *_labels("status", "configure", "shared", "chid", "chid_external", "esc", "speed", privacy=KEEP),
        _identity("type", "hex", "type"),
        _identity("cmg", "channel measurement group", "cmg"),
        # measurement_chars: limits that the busy formulas divide by, per second
        *_gauges("max_bus_cycles", "max_work_units", "max_write_units", "max_read_units",
                 "data_unit_size", "data_unit_size_cpc", "msg_unit_size", "msg_unit_size_cpc",
                 "dpu_cores", source="measurement_chars"),
        # measurement: the time stamp and the counters of all groups; those of other groups absent
        Field("timestamp", Meaning.CLOCK, "ticks of 128 us", "measurement", 1 << 24, 2140.0),
        *_counters("busy_cpc", "busy", unit="ticks of 128 us", source="measurement", modulus=U32),
        *_counters("bus_cycles_cpc", "work_units_cpc", "work_units",
                   "written_cpc", "written", "read_cpc", "read",
                   "msg_sent", "msg_sent_cpc", "send_failed", "no_buffer", "no_buffer_cpc",
                   "data_sent", "data_sent_cpc",
                   unit="units", source="measurement", modulus=U32),
        # ext_measurement
        *_counters("dpu_channel_busy_cpc", "dpu_busy_cpc", unit="ticks of 128 us",
                   source="ext_measurement", modulus=U32),
        *_counters("ficon_ops_cpc", "ficon_deferred_cpc", "hpf_ops_cpc", "hpf_deferred_cpc",
                   unit="operations", source="ext_measurement", modulus=U32),
        *_counters("ficon_active_cpc", "hpf_active_cpc", unit="sum of active operations",
                   source="ext_measurement", modulus=1 << 64),
    ),
    key_form=r"[0-9a-f]{1,2}\.[0-9a-f]{1,2}",
    alone=True,  # some wrap within seconds; the others must stay valid
)  # fmt: skip

DEVICE: Final = Kind(
    "device",
    "bus id of the ccw device: 0.0.7000",
    (
        Field("subchannel", Meaning.LABEL, "bus id", "the parent directory", privacy=KEEP),
        Field("chpids", Meaning.LABEL, "installed paths: '70 71'", "../chpids, ../pimpampom", privacy=KEEP),
        *_gauges("pim", "pam", "pom", unit="path mask", source="../pimpampom"),
        Field("vpm", Meaning.GAUGE, "path mask", "../vpm"),
        *_labels("driver", "status", "availability", "discipline", "vendor", privacy=KEEP),
        *_labels("block", privacy=DISK),
        _identity("devtype", "3390/0c", "devtype"),
        _identity("cutype", "3990/e9", "cutype"),
        _identity("uid", "VENDOR.SERIAL.SSID.UA[.token]", "uid", UID),
        *_gauges("online", "alias", "cmb_enable", "readonly", "hpf", "ese"),
        Field("use_diag", Meaning.GAUGE, "", "use_diag"),
        Field("path_masks", Meaning.LABEL, "six masks", "path_masks", privacy=KEEP),
        Field("copy_role", Meaning.LABEL, "none, primary or secondary", "copy_role", privacy=KEEP),
        Field("copy_pair", Meaning.LABEL, "bus ids, the primary's first", "copy_pair", privacy=KEEP),
    ),
    key_form=BUSID_FORM,
)

_CMF_TIMES: Final = (
    "connect", "pending", "disconnect", "cu_queue", "active_only", "busy", "initial_command",
)  # fmt: skip


def _cmf(name: str, counts: int, wraps_after: float) -> Kind:
    return Kind(
        name,
        "bus id of the ccw device: 0.0.7000",
        (
            *_counters("ssch", unit="start and resume subchannel", source="cmf/ssch_rsch_count",
                       modulus=counts, wraps_after=wraps_after),
            *_counters("samples", unit="operations with times", source="cmf/sample_count",
                       modulus=counts, wraps_after=wraps_after),
            # all times together grow by at most one second per second
            *_counters(*_CMF_TIMES, unit="ns", source="cmf/avg_*", modulus=U32 * TICK,
                       wraps_after=U32 * TICK / 1e9),
            Field("elapsed", Meaning.AGE, "ns since enable", "cmf/avg_sample_interval"),
            Field("error", Meaning.GAUGE, "ns each total may be off, rebuilt from averages", "cmf/avg_*"),
            Field("via", Meaning.LABEL, "sysfs or ioctl", privacy=KEEP),
            _identity("uid", "", "uid", UID),
        ),
        key_form=BUSID_FORM,
        plural="channel measurements",
    )  # fmt: skip


CMF: Final = _cmf("cmf", U32, U32 / 10_000)
"""Channel measurement in the extended format: 32-bit counts, five days at 10,000 starts a second."""

CMF_BASIC: Final = _cmf("cmf", U16, U16 / 2_000)
"""The same in the basic format, whose counts wrap at 65,536.

In a longer interval they may have wrapped twice, and nothing would show it.  Only machines before the z990
and emulators have no better format, and there 2,000 starts a second are more than a device does.
"""

EXACT: Final = _cmf("exact", U32, U32 / 10_000)
"""The extended format as an ioctl gives them; in a sample they replace those rebuilt."""

REQUEST_TIME: Final = U32 / 1000 / 128
"""Seconds in which 128 requests at once, as many as a DASD may have, wait 2**32 ms together."""

BLOCK: Final = Kind(
    "block",
    "name of the whole disk: dasda, sda, dm-0",
    (
        *_labels("number", "busid", privacy=KEEP),
        *_labels("label", privacy="label"),
        *_labels("model", privacy="model"),
        _identity("incarnation", "", "/sys/block/*/diskseq"),
        *_counters("reads", "reads_merged", "sectors_read", unit="", source="/proc/diskstats"),
        *_counters("read_ms", unit="ms", source="/proc/diskstats", modulus=U32, wraps_after=REQUEST_TIME),
        *_counters("writes", "writes_merged", "sectors_written", unit="", source="/proc/diskstats"),
        *_counters("write_ms", unit="ms", source="/proc/diskstats", modulus=U32, wraps_after=REQUEST_TIME),
        *_gauges("in_flight", unit="requests", source="/proc/diskstats"),
        *_counters(
            "io_ms", "weighted_ms", unit="ms", source="/proc/diskstats", modulus=U32, wraps_after=REQUEST_TIME
        ),
        *_counters("discards", "discards_merged", "sectors_discarded", source="/proc/diskstats"),
        *_counters("discard_ms", unit="ms", source="/proc/diskstats", modulus=U32, wraps_after=REQUEST_TIME),
        *_counters("flushes", source="/proc/diskstats"),
        *_counters("flush_ms", unit="ms", source="/proc/diskstats", modulus=U32, wraps_after=REQUEST_TIME),
        # sar alone: reads, writes and discards, which it does not distinguish
        *_counters("requests", source="sar"),
        *_counters("request_ms", unit="ms", source="sar"),
        *_gauges("size", unit="sectors of 512", source="/sys/block/*/size"),
        *_gauges("nr_requests", unit="requests", source="/sys/block/*/queue/nr_requests"),
        *_gauges("block_size", unit="bytes", source="/sys/block/*/queue/logical_block_size"),
        *_labels("map", privacy=DISK, source="/sys/block/dm-*/slaves: the multipath device that joins it"),
    ),
    key_form=DISK_FORM,
    key_privacy=DISK,
    plural="disks",
)

DASD: Final = Kind(
    "dasd",
    "bus id: 0.0.7000",
    (
        *_labels("name", privacy=DISK, source="/proc/dasd/devices"),
        *_labels("discipline", "state", privacy=KEEP, source="/proc/dasd/devices"),
        *_gauges("readonly", "block_size", "blocks", "megabytes", source="/proc/dasd/devices"),
        Field("volser", Meaning.LABEL, "volume serial", "ID_SERIAL in the udev data base", privacy="volume"),
        *_gauges("lss", unit="logical subsystem (CUADD)", source="BIODASDINFO2"),
        *_labels("storage", privacy=KEEP, source="BIODASDINFO2"),
        *_labels("uid", privacy=UID, source="BIODASDINFO2"),
        *_gauges("channel_queue", unit="requests queued on the base device", source="BIODASDINFO2"),
        *_gauges("cylinders", unit="cylinders", source="BIODASDINFO2"),
    ),
    key_form=BUSID_FORM,
    plural="volumes",
)

CACHE: Final = Kind(
    "cache",
    "bus id: 0.0.7000",
    (
        _identity("uid", "", "uid", UID),
        *_labels("caching", "fast_write", "duplex", "unit_address", "ssid", "device_status",
                 privacy=KEEP, source="BIODASDPSRD"),
        *_counters(
            "reads", "read_hits", "writes", "write_hits",
            "seq_reads", "seq_read_hits", "seq_writes", "seq_write_hits",
            "cfw_reads", "cfw_read_hits", "cfw_writes", "cfw_write_hits",
            "inhibited", "bypassed", "seq_staged", "staged", "destaged", "dfw_delayed",
            "dfw_normal", "dfw_sequential", "record_misses", "quick_promotes",
            unit="operations", source="BIODASDPSRD",
        ),
    ),
    key_form=BUSID_FORM,
    plural="cache statistics",
)  # fmt: skip

LPAR: Final = Kind(
    "lpar",
    "name of the logical partition",
    (
        _identity("number", "", "diag 204"),
        *_labels("upid", privacy=KEEP, source="diag 204"),
        *_labels("os", privacy="system", source="diag 204"),
        *_labels("sysplex", privacy="sysplex", source="diag 204"),
        *_labels("group", "hardware_group", privacy="group", source="diag 204"),
        *_gauges("cpus", "own", source="diag 204"),
        *_gauges("storage", unit="MiB", source="diag 204"),
        *_gauges("group_limit", unit="", source="diag 204"),
    ),
    key_form="#[0-9]{1,3}",
    key_privacy="lpar",
    plural="partitions",
)

LPAR_CPU: Final = Kind(
    "lpar_cpu",
    "partition/cpu address: LNXPROD/0",
    (
        _identity("type", "CP, IFL, zIIP ...", "diag 204"),
        *_labels("lpar", privacy="lpar", source="diag 204"),
        *_labels("cpu", privacy=KEEP, source="diag 204"),
        *_gauges("online", "capped", "dedicated", source="diag 204"),
        *_gauges("weight_initial", "weight_min", "weight", "weight_max", source="diag 204"),
        *_gauges("cap_type", "cap_group", unit="hundredths of a CPU", source="diag 204"),
        # accumulated = given to the partition + spent on its behalf by the hypervisor
        *_counters("accumulated", "dispatched", "online_time", "wait", "mt_idle",
                   unit="us", source="diag 204"),
        Field("clock", Meaning.CLOCK, "us", "diag 204: the hypervisor's own clock"),
    ),
    key_privacy="lpar",
    plural="CPUs of partitions",
)  # fmt: skip

PHYSICAL_CPU: Final = Kind(
    "physical_cpu",
    "address of the physical CPU",
    (
        _identity("type", "CP, IFL, zIIP ...", "diag 204"),
        *_gauges("dedicated", source="diag 204"),
        *_counters("management", unit="us", source="diag 204"),
        Field("clock", Meaning.CLOCK, "us", "diag 204: the hypervisor's own clock"),
    ),
    key_form="[0-9]{1,5}",
    plural="physical CPUs",
)

GUEST: Final = Kind(
    "guest",
    "user id of the z/VM guest",
    (
        *_gauges("capped", "dedicated", "logical_cpus", "virtual_cpus", "operating_cpus",
                 "physical_cpus", "share_max", "share", source="diag 2fc"),
        *_gauges("memory_min", "memory_max", "memory_share", "memory_used", unit="KiB", source="diag 2fc"),
        *_counters("used_cpu", "online_time", unit="us", source="diag 2fc"),
        *_counters("using", "delay", "page_wait", "idle", "other", "total",
                   unit="samples", source="diag 2fc", modulus=U32),
    ),
    key_privacy="guest",
)  # fmt: skip

VIRTUAL_CPU: Final = Kind(
    "virtual_cpu",
    "number of the CPU, as Linux numbers it",
    (
        *_counters("virtual", unit="us that it ran", source="diag 0c"),
        *_counters("total", unit="us that it ran, and that CP worked for it", source="diag 0c"),
    ),
    key_form="[0-9]{1,10}",
    plural="virtual CPUs",
)
"""The CPUs of this guest of z/VM, as CP accounts for them."""

ALL: Final = "all"
"""The key of the one row that sums up all CPUs, where sar gives only that; its `online` is their number."""

CPU: Final = Kind(
    "cpu",
    "number of the logical CPU; `all` where sar gives only their sum",
    (
        *_counters("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal",
                   "guest", "guest_nice", unit="ns", source="/proc/stat"),
        *_labels("polarization", "address", privacy=KEEP, source="/sys/devices/system/cpu/cpu*/"),
        Field("online", Meaning.GAUGE, "", "/sys/devices/system/cpu/cpu*/online"),
        *_counters("idle_entries", unit="times that the CPU began to wait", source="cpu*/idle_count"),
        *_counters("idle_exact", unit="ns", source="cpu*/idle_time_us"),
        *_counters("run_delay", unit="ns that tasks waited for the CPU", source="/proc/schedstat"),
    ),
    key_form="[0-9]{1,5}",
    alone=True,  # idle and iowait may fall by a little, as the kernel documents
    plural="CPUs",
)  # fmt: skip

MEMORY: Final = Kind(
    "memory",
    "always `memory`",
    (
        *_gauges("total", "available", "free", "buffers", "cached", "swap_total", "swap_free",
                 unit="bytes", source="/proc/meminfo"),
        *_counters("swapped_in", "swapped_out", unit="pages", source="/proc/vmstat"),
        *_counters("major_faults", unit="page faults that read", source="/proc/vmstat: pgmajfault"),
        *_counters("refaulted_file", "refaulted_anon", unit="pages read again soon after they were evicted",
                   source="/proc/vmstat: workingset_refault_*"),
        *_gauges("dirty", "writeback", unit="bytes", source="/proc/meminfo"),
        *_gauges("anonymous", "mapped", "shared", "locked", "slab_kept", "page_tables", "kernel_stacks",
                 "commit_limit", "committed", "swap_cached", "zswap", "zswapped", "anonymous_huge",
                 "huge_size", unit="bytes", source="/proc/meminfo"),
        *_gauges("huge_total", "huge_free", "huge_reserved", "huge_surplus",
                 unit="huge pages", source="/proc/meminfo: HugePages_*"),
        *_counters("faults", unit="page faults", source="/proc/vmstat: pgfault"),
        *_counters("scanned_kswapd", "scanned_direct", unit="pages",
                   source="/proc/vmstat: pgscan_kswapd, pgscan_direct"),
        *_counters("reclaimed_kswapd", "reclaimed_direct", unit="pages",
                   source="/proc/vmstat: pgsteal_kswapd, pgsteal_direct"),
        *_counters("stalls", unit="times that a task had to reclaim", source="/proc/vmstat: allocstall_*"),
        *_counters("oom_kills", unit="processes killed", source="/proc/vmstat: oom_kill"),
        *_counters("balloon_inflated", "balloon_deflated", unit="pages", source="/proc/vmstat: balloon_*"),
        *_gauges("cmm_pages", "cmm_timed_pages", unit="pages that z/VM took", source="/proc/sys/vm/cmm_*"),
        *_gauges("cmm_timeout_pages", "cmm_timeout_seconds", source="/proc/sys/vm/cmm_timeout"),
    ),
    key_form="memory",
    plural="figures of memory",
)  # fmt: skip

TASKS: Final = Kind(
    "tasks",
    "always `tasks`",
    (
        *_gauges("running", unit="tasks that run or wait for a CPU", source="/proc/stat: procs_running"),
        *_gauges("blocked", unit="tasks that wait for I/O to end", source="/proc/stat: procs_blocked"),
        *_counters("switches", unit="context switches", source="/proc/stat: ctxt"),
        *_counters("forks", unit="processes and threads that were made", source="/proc/stat: processes"),
        *_counters("own", unit="ns", source="zmon itself: its processor time"),
    ),
    key_form="tasks",
    plural="counts of tasks",
)
"""The tasks at one instant; the one that reads runs, too."""

INTERRUPT: Final = Kind(
    "interrupt",
    "name of the interrupt, as /proc/interrupts has it: DAS",
    (
        *_labels("group", privacy=KEEP, source="/proc/interrupts: EXT, I/O, AIO, NMI, CPU"),
        *_labels("what", privacy=KEEP, source="/proc/interrupts"),
        *_counters("count", unit="interrupts of all CPUs on line", source="/proc/interrupts"),
    ),
    key_form="[A-Z0-9]{3}",
)
"""Interrupts by their sort, of all CPUs together."""

DIAGNOSE: Final = Kind(
    "diagnose",
    "code of the diagnose instruction, in hex: 09c",
    (
        *_labels("what", privacy=KEEP, source="debugfs diag_stat"),
        *_counters("count", unit="diagnoses that this Linux issued", source="debugfs diag_stat"),
    ),
    key_form="[0-9a-f]{3}",
    plural="diagnose instructions",
)
"""Diagnose instructions, by which Linux asks the hypervisor, of all CPUs together."""

PRESSURE: Final = Kind(
    "pressure",
    "the resource that tasks wait for: `cpu`, `io` or `memory`",
    (
        *_counters("some", "full", unit="ns", source="/proc/pressure/*: total"),
        *_gauges("some10", "some60", "some300", "full10", "full60", "full300", unit="percent",
                 source="/proc/pressure/*: avg10, avg60, avg300"),
    ),
    key_form="cpu|io|memory",
    plural="figures of pressure",
)  # fmt: skip
"""Time in which some, or all, tasks that want to run wait for a resource (PSI)."""

UNIT: Final = Kind(
    "unit",
    "path of the control group: /system.slice/db2inst1.service",
    (
        _identity("incarnation", "inode", "the directory"),
        *_labels("sort", privacy=KEEP, source="its name: service, container, guest, session, group"),
        *_labels("database", privacy=KEEP, source="its name, else those of its processes: Db2, Oracle ..."),
        *_labels("instance", privacy="path", source="/proc/PID/cmdline, cwd, status; files of engines"),
        *_gauges("io_counted", source="whether it has io.stat"),
        *_gauges("tasks", source="pids.current"),
        *_counters("cpu", "user", "system", "throttled", unit="ns", source="cpu.stat"),
        *_gauges("memory", "memory_max", "swap", unit="bytes",
                 source="memory.current, memory.max, memory.swap.current"),
        *_gauges("anon", "file", unit="bytes", source="memory.stat"),
        *_counters("major_faults", unit="page faults that read", source="memory.stat: pgmajfault"),
        *_counters("refaulted_file", "refaulted_anon", unit="pages read again soon after they were evicted",
                   source="memory.stat: workingset_refault_*"),
        *_counters("swapped_in", "swapped_out", unit="pages", source="memory.stat: pswpin, pswpout"),
        *_counters("cpu_some", "io_some", "io_full", "memory_some", "memory_full", unit="ns",
                   source="*.pressure: total"),
    ),
    key_privacy=UNIT_NAME,
    alone=True,  # each comes from a file of its own
    from_zero=("cpu_some", "io_some", "memory_some"),
    plural="services and sessions",
)  # fmt: skip
"""Services, containers, guests and login sessions: control groups (version 2) with processes."""

UNIT_IO: Final = Kind(
    "unit_io",
    "number of the block device and the unit: 94:0 /system.slice/db2inst1.service",
    (
        *_labels("unit", privacy=UNIT_NAME, source="the directory"),
        *_labels("device", privacy=KEEP, source="io.stat: major:minor"),
        *_counters("rbytes", "wbytes", "dbytes", unit="bytes", source="io.stat"),
        *_counters("rios", "wios", "dios", unit="I/Os, before requests are merged", source="io.stat"),
    ),
    key_privacy=UNIT_NAME,
    plural="I/O counters of units",
)
"""What each unit does on each block device, and all below it: see `zmon.topology.leaf_disks`."""

WAIT_STATES: Final = ("running", "paging", "io", "limited", "locked", "blocked", "stopped")
"""The states of a task that does not sleep, in the order in which they are tested."""

ROUNDS: Final = Kind(
    "process_rounds",
    "always `rounds`",
    (
        _identity("begun", "ns of the steady clock", "zmon itself: when it began to count"),
        *_counters("rounds", unit="looks at all tasks", source="/proc"),
        *_counters("cpu", unit="ns", source="zmon itself: processor time of the looks between samples"),
        *_gauges("processes", "tasks", unit="seen in the last round", source="/proc"),
        *_gauges("all_tasks", unit="tasks of the system", source="/proc/loadavg"),
        *_gauges("left_out", unit="processes without a row: too many", source="zmon itself"),
        *_gauges("delay_accounting", source="/proc/sys/kernel/task_delayacct"),
        *_labels("hidepid", privacy=KEEP, source="/proc/self/mounts"),
    ),
    key_form="rounds",
    alone=True,
    plural="processes",
)
"""How often tasks were looked at, and what was not seen."""

PROCESS: Final = Kind(
    "process",
    "number of the process",
    (
        _identity("started", "ticks since boot", "/proc/PID/stat: starttime"),
        *_labels("command", privacy=TASK_NAME, source="/proc/PID/stat: comm"),
        *_labels("unit", privacy=UNIT_NAME, source="/proc/PID/cgroup"),
        *_gauges("kernel", source="/proc/PID/stat: whether it is a task of the kernel itself"),
        *_gauges("threads", source="/proc/PID/stat"),
        *_counters("user", "system", unit="ns", source="/proc/PID/stat: utime, stime"),
        *_counters("run", "cpu_wait", unit="ns", source="/proc/PID/task/*/schedstat"),
        *_counters("io_wait", unit="ns", source="/proc/PID/stat: delayacct_blkio_ticks"),
        *_counters("major_faults", unit="page faults that read", source="/proc/PID/stat: majflt"),
        *_counters("read_bytes", "dirtied_bytes", unit="bytes", source="/proc/PID/io: *_bytes"),
        *_counters(*WAIT_STATES, unit="tasks found in this state in the rounds so far",
                   source="/proc/PID/task/*/stat, wchan"),
        *_labels("place", privacy=KEEP, source="/proc/PID/wchan: where a task of it waited last"),
        *_labels("devices", privacy=KEEP, source="major:minor, of that wait: /proc/PID/syscall, fdinfo"),
        *_labels("evidence", privacy=KEEP, source="system call, its name"),
    ),
    key_form="[0-9]{1,7}",
    alone=True,
    plural="processes",
)  # fmt: skip
"""Processes; one that begins and ends between two samples is not seen."""

BLOCKED_TASK: Final = Kind(
    "blocked_task",
    "number of the task",
    (
        _identity("started", "ticks since boot", "/proc/PID/stat: starttime"),
        *_labels("process", privacy=KEEP, source="/proc"),
        *_labels("command", privacy=TASK_NAME, source="/proc/PID/task/TID/stat: comm"),
        *_labels("unit", privacy=UNIT_NAME, source="/proc/PID/cgroup"),
        *_gauges("waiting", unit="ns, at the least", source="when it was first seen in this wait"),
        *_labels("state", privacy=KEEP, source="class of the place: paging, io, limited, locked, blocked"),
        *_labels("place", privacy=KEEP, source="/proc/PID/task/TID/wchan"),
        *_labels("devices", privacy=KEEP, source="major:minor: /proc/PID/syscall, fdinfo, mountinfo"),
        *_labels("evidence", privacy=KEEP, source="system call, open files, its name"),
        *_labels("file", privacy="path", source="/proc/PID/fd"),
    ),
    key_form="[0-9]{1,7}",
    plural="blocked tasks",
)
"""Tasks that wait and cannot be interrupted (state D) at the moment of the sample, the longest first."""

OPEN_FILE: Final = Kind(
    "open_file",
    "numbers of the process and of its descriptor",
    (
        *_labels("process", privacy=KEEP, source="/proc"),
        *_labels("unit", privacy=UNIT_NAME, source="/proc/PID/cgroup"),
        *_labels("file", privacy="path", source="/proc/PID/fd"),
        *_labels("device", privacy=KEEP, source="major:minor: /proc/PID/fdinfo, mountinfo"),
        *_labels("access", privacy=KEEP, source="/proc/PID/fdinfo: flags"),
    ),
    key_form="[0-9]{1,7} [0-9]{1,7}",
    plural="open files",
)
"""Files on disks that processes have open which do I/O, or did since zmon began."""

SOURCE: Final = Kind(
    "source",
    "name of the source, as in docs/sources.md",
    (
        *_labels("state", privacy=KEEP, source="zmon itself"),
        *_labels("reason", "reads_what", privacy=WORDS, source="zmon itself"),
        *_gauges("every", unit="seconds between reads at the least", source="zmon itself"),
        *_gauges("rows", unit="rows read last", source="zmon itself"),
        *_counters("calls", "errors", unit="", source="zmon itself"),
        *_counters("bytes", unit="bytes", source="zmon itself"),
        *_counters("spent", "cpu", unit="ns", source="zmon itself"),
    ),
    key_form="[a-z_]{1,20}",
    plural="figures of zmon itself",
)

MOUNT: Final = Kind(
    "mount",
    "id of the mount, as /proc/self/mountinfo numbers them",
    (
        _identity("number", "major:minor", "/proc/self/mountinfo"),
        *_labels("root", "point", privacy="path", source="/proc/self/mountinfo"),
        *_labels("fstype", privacy=KEEP, source="/proc/self/mountinfo"),
        *_labels("source", "options", privacy="path", source="/proc/self/mountinfo"),
        *_labels(
            "devices",
            privacy=KEEP,
            source="of btrfs its devices, of an overlay what its layers are on: id=major:minor",
        ),
        *_labels("chunks", privacy=KEEP, source="the chunk tree of btrfs"),
        *_labels("line", privacy=KEEP, source="which line of /proc/self/mountinfo it is"),
        *_labels(
            "namespaces",
            privacy=KEEP,
            source="how many other mount namespaces were read: /proc/PID/mountinfo",
        ),
    ),
    key_form="[0-9]{1,10}",
)
"""What is mounted where; `options` are those of the file system."""

SWAP: Final = Kind(
    "swap",
    "the partition or file, as /proc/swaps names it",
    (
        *_labels("sort", privacy=KEEP, source="/proc/swaps: partition or file"),
        *_gauges("size", "used", unit="bytes", source="/proc/swaps"),
        *_gauges("priority", unit="the highest is used first", source="/proc/swaps"),
    ),
    key_form=rf"/dev/{DISK_FORM}",
    key_privacy="path",
    plural="swap areas",
)
"""The swap devices and files."""

LAYER: Final = Kind(
    "layer",
    "number of the block device: 94:5; of one in texts without a number a stand-in: dm:3, mapped:1",
    (
        Field("name", Meaning.LABEL, "dasdb1, dm-3", "/sys/dev/block/*", privacy=DISK),
        _identity(
            "sort", "disk, partition, dm, md, loop; of texts volume group, btrfs, lost", "/sys/dev/block/*"
        ),
        *_labels("parent", privacy=KEEP, source="the whole disk of a partition"),
        *_labels("below", privacy=KEEP, source="slaves"),
        *_labels("mapped", privacy="label", source="dm/{}"),
        *_labels("uuid", privacy=SERIAL, source="dm/{}"),
        *_gauges("suspended", unit="1 while it holds I/O back", source="dm/suspended"),
        *_labels(
            "table",
            privacy=KEEP,
            source="DM_TABLE_STATUS, as dmsetup prints it; of a loop device FS_IOC_FIEMAP; of segments that"
            " texts of LVM tell the word `segment` and their devices",
        ),
        *_labels("level", "layout", privacy=KEEP, source="md/{}"),
        *_labels(
            "members",
            privacy=KEEP,
            source="md/dev-*: slot=major:minor@first sector of data+sectors, `-` if missing",
        ),
        *_labels("busid", privacy=KEEP, source="the ccw device"),
        *_labels("wwpn", "lun", privacy=SERIAL, source="device/wwpn, device/fcp_lun"),
        *_labels(
            "wwid", "serial", privacy=SERIAL, source="device/wwid, device/vpd_pg80, serial, udev's record"
        ),
        *_labels("vendor", privacy=KEEP, source="device/{}"),
        *_labels("model", privacy="model", source="device/{}"),
        *_labels("file", privacy="path", source="loop/backing_file"),
        *_labels(
            "links",
            privacy="path",
            source="names in /dev that udev has given it: disk/by-path/..., by blanks",
        ),
        *_gauges("start", "size", unit="sectors of 512", source="start, size"),
        *_gauges("chunk", unit="bytes", source="md/chunk_size"),
    ),
    key_form="([0-9]{1,5}|dm|mapped):[0-9]{1,8}",
    plural="block devices",
)
"""Block devices and what each is made of, down to the disks."""

MULTIPATH: Final = Kind(
    "multipath",
    "name of the multipath device: dm-3",
    (
        *_labels("title", privacy="label", source="dm/name"),
        *_labels("wwid", privacy=SERIAL, source="dm/uuid"),
        *_labels("state", "queueing", privacy=KEEP, source="multipathd: list maps json"),
        *_counters("faults", "switches", "loads", "queue_timeouts", source="multipathd: list maps json"),
        *_counters("queue_seconds", unit="s", source="multipathd: total_q_time"),
        *_labels("via", privacy=KEEP, source="which source answered"),
    ),
    key_form=DISK_FORM,
    key_privacy=DISK,
    alone=True,
    plural="multipath devices",
)
"""Multipath devices: disks that are reached over several SCSI disks."""

PATH: Final = Kind(
    "path",
    "number of the SCSI disk that is the path: 8:16",
    (
        *_labels("name", "map", privacy=DISK, source="/sys/block/dm-*/slaves"),
        *_labels("state", privacy=KEEP, source="active or failed: DM_TABLE_STATUS, else multipathd"),
        *_labels("device", privacy=KEEP, source="/sys/block/sd*/device/state"),
        *_labels("checker", "marginal", "selector", privacy=KEEP, source="multipathd: list maps json"),
        *_gauges("group", "priority", source="DM_TABLE_STATUS, multipathd"),
        *_labels("group_state", privacy=KEEP, source="DM_TABLE_STATUS, multipathd"),
        *_counters("failures", source="DM_TABLE_STATUS"),
        *_gauges("in_flight", unit="bytes", source="DM_TABLE_STATUS, selector service-time"),
        *_labels("adapter", privacy=KEEP, source="the ccw device"),
        *_labels("port", privacy=SERIAL, source="device/wwpn"),
        *_labels("via", privacy=KEEP, source="which source said whether it is active"),
    ),
    key_form="[0-9]{1,5}:[0-9]{1,8}",
    plural="paths of SCSI disks",
)
"""The paths of multipath devices."""

NO_FILE: Final = declared("no-file", "there is no such file")
"""Why a live kernel has no value of a setting: it is built without it."""
NO_CONF: Final = declared("no-conf", "there is no multipath.conf")

NO_MAP: Final = declared("no-map", "multipath joins no disks here")
"""Why neither has a row on a machine that was looked at."""
NOT_SEEN: Final = "not seen: "
"""How the title of a member begins that a group may have, and no text shows."""
STRIPED: Final = "striped"
"""The level of a logical volume that texts tell to lie in equal parts on the devices below it."""
GPFS: Final = "GPFS"
"""What zmon calls the signature of a disk that Storage Scale uses, and in small letters its file system."""
GPFS_SYSTEM: Final = f"{GPFS} file system"
"""What such a file system is; its title is these words and its name."""
POOL: Final = "pool"
"""What a pool of ZFS is; its title is the word and its name."""
NSD: Final = "nsd"
"""The sort of what is on such a disk, which file system of the cluster this may be."""
OF_GPFS: Final = "GPFS-"
"""The prefix of its `uuid`, before the name of the file system that it is of, if a text tells that."""
MORE_OF_BTRFS: Final = "mapped:btrfs"
"""Stands for the number of further devices that a btrfs may have, where no text lists its devices."""
VOLUME_GROUP: Final = "volume group"
"""The sort of what stands for a volume group, of which texts name the members."""
FAILED: Final = "failed"
"""The sort of what texts say of a member that is there, and does not work: its title is the sentence."""
LOST: Final = "lost"
"""The sort of a member that a group lacks."""
MPATH: Final = "mpath-"
"""What the uuid of a multipath device begins with."""
NO_PATH: Final = "none"
"""The name of what stands in `PATH` for a multipath device that has lost all its paths."""

# reasons that readers of a machine, the laboratory and screens give alike
TYPE_UNKNOWN: Final = absent("type unknown")
NO_DASD: Final = absent("not a DASD")
NO_BLOCK_OF_ALIAS: Final = absent("an alias has no block device")
NO_DISK: Final = declared("no-disk", "no disk in /sys/block")
NOT_JOINED: Final = absent("no multipath device joins paths to it")
NO_FULL: Final = absent("of the CPU of a whole system only `some` is defined")
NOT_MEASURED: Final = absent("channel load is measured in an LPAR only")
CACHE_NOT_READ: Final = absent("the cache statistics were not read: --cache")
NO_DASD_DRIVER: Final = declared("no-dasd-driver", "there is no DASD driver on this machine")
UNLISTED: Final = declared(
    "no-listing", "no listing of tablespaces was given (--listing)",
    former=["no listing of tablespaces was given: --listing"],
)  # fmt: skip
NOT_LISTED: Final = declared(
    UNLISTED.code, "the capture holds no containers: make it with `zmon capture --listing`"
)

WITHOUT_CMF: Final = Reasons("no-cmf", "channel measurement {}")
"""Why it gives no times; the fact is what is said of it, of all devices alike."""


def _without_cmf(of_one: str) -> Absent:
    """Return why it gives no times of one device: `{}` is where that is named."""
    what = of_one.format(" for this device")
    return declared(WITHOUT_CMF.code, WITHOUT_CMF.text.format(what), of_one.format(""))


NO_CMF: Final = _without_cmf("was not read{}")
CMF_OFF: Final = _without_cmf("is off{}: cmb_enable is 0")
_NO_TIMES: Final = "this hypervisor counts starts but no times"
NO_CMF_TIMES: Final = declared("no-cmf-times", f"not measured: {_NO_TIMES}", _NO_TIMES)

NO_CSS: Final = declared("no-channel-subsystem", "no channel subsystem here")
NO_DEVICES: Final = declared("no-devices", "this machine shows Linux no devices")
"""Why there is no ccw device on a machine that was looked at."""
NO_ADAPTER: Final = declared("no-adapter", "there is no FCP adapter")
"""Why there is no row on a machine that was looked at."""

ADAPTER: Final = Kind(
    "adapter",
    "bus id of the FCP adapter: 0.0.fc00",
    (
        *_labels("host", privacy=KEEP, source="/sys/class/fc_host/*"),
        *_labels("port_name", privacy=SERIAL, source="/sys/class/fc_host/*/{}"),
        *_labels("port_type", "port_state", "speed", privacy=KEEP, source="/sys/class/fc_host/*/{}"),
        *_gauges("processor", "bus", "port", unit="percent of two seconds",
                 source="/sys/class/scsi_host/*/utilization"),
        *_counters("inputs", "outputs", "controls", unit="requests",
                   source="/sys/class/scsi_host/*/requests"),
        *_counters("megabytes_in", "megabytes_out", unit="1,000,000 bytes",
                   source="/sys/class/scsi_host/*/megabytes"),
        *_counters("queue_full", source="/sys/class/scsi_host/*/queue_full", modulus=U32),
        *_counters("queue_used", unit="places times us", source="/sys/class/scsi_host/*/queue_full"),
        *_gauges("ports", "ports_online", source="/sys/class/fc_remote_ports/*/port_state"),
    ),
    key_form=BUSID_FORM,
    alone=True,
    plural="FCP adapters",
)  # fmt: skip
"""FCP adapters; numbers are those of the whole adapter since it was switched on."""

LUN: Final = Kind(
    "lun",
    "SCSI device: host:channel:target:LUN",
    (
        *_labels("adapter", privacy=KEEP, source="hba_id"),
        *_labels("name", privacy=DISK, source="block/*"),
        *_labels("state", privacy=KEEP, source="state"),
        *_gauges("failed", source="zfcp_failed"),
        *_counters(
            *(f"{what}_{part}" for what in ("read", "write", "cmd") for part in ("fabric", "channel")),
            unit="us", source="read_latency, write_latency, cmd_latency",
        ),
        *_counters("read_count", "write_count", "cmd_count", unit="requests with times",
                   source="read_latency, write_latency, cmd_latency"),
        *_counters("requested", "done", "errors", "timeouts", unit="requests",
                   source="iorequest_cnt, iodone_cnt, ioerr_cnt, iotmo_cnt", modulus=U32),
    ),
    key_form="[0-9:]{7,40}",
    alone=True,
    plural="LUNs",
)  # fmt: skip
"""SCSI devices behind FCP adapters: one for each path to a disk."""

TARGET_PORT: Final = Kind(
    "target_port",
    "the remote port, as the kernel numbers it: rport-0:0-1",
    (
        *_labels("adapter", privacy=KEEP, source="the ccw device of its host"),
        *_labels("port_name", privacy=SERIAL, source="/sys/class/fc_remote_ports/*/{}"),
        *_labels("state", "roles", privacy=KEEP, source="/sys/class/fc_remote_ports/*/port_state, roles"),
    ),
    key_form="rport-[0-9]{1,5}:[0-9]{1,3}-[0-9]{1,5}",
    plural="target ports",
)
"""Ports of storage servers, once for each FCP adapter that sees them."""

PCI_FORM: Final = r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
"""The address of a PCI function, as the kernel names it: 0001:00:00.0."""

INTERFACE: Final = Kind(
    "interface",
    "name of the network interface: encf500",
    (
        *_labels("bus", privacy=KEEP, source="/sys/class/net/*: qeth, pci, virtio ..."),
        *_labels("device", privacy=KEEP, source="/sys/class/net/*: bus id or PCI address"),
        *_labels("state", privacy=KEEP, source="/sys/class/net/*/operstate"),
        *_counters("received", "sent", unit="bytes", source="/proc/net/dev"),
        *_counters("packets_in", "packets_out", unit="packets", source="/proc/net/dev"),
        *_counters("errors_in", "errors_out", unit="packets with an error", source="/proc/net/dev: errs"),
        *_counters("dropped_in", "dropped_out", unit="packets dropped", source="/proc/net/dev: drop"),
    ),
    key_form=INTERFACE_FORM,
    key_privacy=INTERFACE_NAME,
    alone=True,
    plural="network interfaces",
)
"""Network interfaces with hardware behind them, of the own network namespace."""

QETH: Final = Kind(
    "qeth",
    "bus id of the group of devices: 0.0.f500",
    (
        *_labels("card", "state", "buffer_size", "isolation", privacy=KEEP,
                 source="/sys/devices/qeth/*/card_type, state, inbuf_size, isolation"),
        *_labels("interface", privacy=INTERFACE_NAME, source="/sys/devices/qeth/*/if_name"),
        *_labels("chpid", privacy=KEEP, source="/sys/devices/qeth/*/chpid"),
        *_gauges("online", "layer2", "port", "buffers",
                 source="/sys/devices/qeth/*/online, layer2, portno, buffer_count"),
    ),
    key_form=BUSID_FORM,
    plural="network cards",
)  # fmt: skip
"""Cards of the qeth driver: OSA, HiperSockets and virtual ones of z/VM."""

PCI_FUNCTION: Final = Kind(
    "pci_function",
    "function id, in hex: 00000104",
    (
        *_labels("address", "segments", "driver", privacy=KEEP, source="/sys/bus/pci/devices/*"),
        *_labels("utility", privacy="label", source="/sys/bus/pci/devices/*/util_string"),
        *_labels("interfaces", privacy=INTERFACE_NAME, source="/sys/bus/pci/devices/*/net"),
        *_labels("disks", privacy=KEEP, source="/sys/bus/pci/devices/*/nvme"),
        *_gauges("pchid", "pfgid", "vfn", "pft", "uid", "port", "class",
                 source="/sys/bus/pci/devices/*"),
        *_gauges("power", source="/sys/bus/pci/slots/*/power"),
        # the function measurement block; times and counters are as of its last update
        *_gauges("update_ms", unit="ms", source="debugfs pci/*/statistics"),
        Field("updated", Meaning.CLOCK, "us", "debugfs pci/*/statistics: Last update TOD"),
        *_counters("samples", "loads", "stores", "store_blocks", "refreshes", "packets_in", "packets_out",
                   "work_units", unit="operations", source="debugfs pci/*/statistics"),
        *_counters("dma_read", "dma_written", "received", "sent", unit="bytes",
                   source="debugfs pci/*/statistics"),
        *_counters("mapped", "unmapped", unit="pages", source="debugfs pci/*/statistics"),
    ),
    key_form="[0-9a-f]{8}",
    alone=True,
    plural="PCI functions",
)  # fmt: skip
"""PCI functions of IBM Z: network cards, NVMe disks and others."""

CONTAINER: Final = Kind(
    "container",
    "path of the file or device",
    (
        *_labels("database", privacy="database", source="the tablespace listing"),
        *_labels("tablespace", privacy="tablespace", source="the tablespace listing"),
        *_labels("role", privacy=KEEP, source="the tablespace listing"),
        *_labels("listed", privacy="path", source="the tablespace listing"),
        *_labels("real", privacy="path", source="the path without links"),
        _identity("number", "major:minor of what `ranges` count on", "/proc/self/mountinfo"),
        *_labels("mount", privacy=KEEP, source="fdinfo"),
        *_labels("ranges", privacy=KEEP, source="FS_IOC_FIEMAP: first byte+length, in hex, merged"),
        *_labels("said", privacy="path", source="which file and line, which ioctl, and what was not placed"),
        *_gauges("size", "declared", unit="bytes", source="stat, the listing"),
        *_gauges("unplaced", "unwritten", "shared", "encoded", unit="bytes", source="FS_IOC_FIEMAP"),
    ),
    key_privacy="path",
    plural="files of databases",
)
"""Files that tablespaces are made of, and the bytes of the device where they lie."""

CLAIM: Final = Kind(
    "claim",
    "running number",
    (
        *_labels("user", privacy="guest", source="CP, or a user directory"),
        *_labels("vdev", "rdev", privacy=KEEP, source="CP, or a user directory"),
        *_labels("volser", privacy="volume", source="CP, or a user directory"),
        *_labels("ssid", "ua", "mode", privacy=KEEP, source="CP, or a user directory"),
        *_labels("via", privacy=WORDS, source="the sort of answer: QUERY VIRTUAL DASD, directory ..."),
        *_labels("origin", privacy="path", source="where it was read: a file, /dev/vmcp"),
        *_labels("weak", privacy=WORDS, source="why it may be wrong"),
        *_labels("paths", privacy=SERIAL, source="CP: QUERY EDEVICE"),
        *_gauges("line", "first", "length", unit="cylinders or blocks", source="CP, or a user directory"),
    ),
    key_form="[0-9]{1,10}",
)
"""Claims of CP, a directory or a person about a volume."""

ORIGIN: Final = Kind(
    "origin",
    "kind and key of another row: `layer 94:1`",
    _labels("texts", privacy="path", source="which fields are from which text of a tool"),
    plural="texts of tools",
)
"""The texts that values are from, where a machine was collected as what tools printed; no source has it."""

PART: Final = "part"
"""What a command was asked for that leaves out some of what there is."""
ALL_ALIASES: Final = "all-aliases"
STACKED: Final = "stacked"
"""The sort of a device that a driver makes of others, such as bcache or DRBD, whatever these are."""
ALL_DASD: Final = "all-dasd"
"""All DASD that are on line."""
ALL_OFFLINE: Final = "all-offline"
"""All DASD that are off line."""
ALL_DISKS: Final = "all-disks"
"""All disks with a block device."""

TEXT: Final = Kind(
    "text",
    "the file of a collection and the line where an output begins: `a.txt:12`",
    (
        *_labels(
            "command", "words", privacy="path", source="the text: the first line that was not understood"
        ),
        *_labels("form", privacy=WORDS, source="which tool's output it was taken for; empty if for none"),
        *_labels(
            "tells", privacy=KEEP, source="the kinds of which it may say something, and what it lists all of"
        ),
        *_labels("asked", privacy=KEEP, source="`part` if the command leaves out some of it"),
        *_labels("host", privacy="system", source="the prompt, uname or hostname"),
        *_labels(
            "which", privacy=KEEP, source="the lines that were not understood, by their numbers in the file"
        ),
        *_labels(
            "named", privacy="path", source="the devices that other lines name, each with the line: dasdc1=9"
        ),
        *_gauges(
            "lines", "read", "strange", unit="lines: all, those that say something, those not understood"
        ),
        *_gauges("written", unit="ns since 1970: when the file was written"),
    ),
    plural="outputs of tools",
)
"""What became of the lines of texts, where a machine was collected as such; no source has it."""

NOWHERE: Final = declared("not-collected", "not collected")
NOT_COLLECTED: Final = Reasons(NOWHERE.code, f"{NOWHERE.reason}: {{}}")
"""Why a value is missing where a machine was collected as texts; the fact is the text that would have it."""
CONTRADICTED: Final = Reasons("contradicted", "sources contradict each other: {}")
"""Why a value is missing that sources differ about; the fact has each value with its source."""

SETTING: Final = Kind(
    "setting",
    "name of the setting: vm.swappiness, disk/sda/scheduler, multipath.conf/defaults/rr_min_io",
    _labels("value", privacy=KEEP, source="the file that docs/sources.md names, or a program that runs"),
    key_form=rf"(?:disk/{DISK_FORM}|(?:fc|qeth)/{BUSID_FORM}|rport/[0-9:-]{{1,20}}|paths/[0-9]{{1,5}}:[0-9]{{1,8}})"
    r"(?:/[a-z_]{1,30})?|(?!disk/|fc/|qeth/|rport/|paths/)[a-z_.]{1,30}(?:/[A-Za-z0-9_.]{1,40}){0,3}",
)
"""What people set, as far as practices say something of it; no value is a name of something."""

BUCKETS: Final = 32
"""How many buckets each histogram of the DASD driver has."""

HISTOGRAMS: Final = {
    "size": "sectors", "time": "io_times", "weighted": "io_times_weighted",
    "wait": "time_build_to_ssch", "device": "time_ssch_to_irq",
    "device_weighted": "time_ssch_to_irq_weighted", "end": "time_irq_to_end", "queue": "ccw_queue_length",
    "read_size": "read_sectors", "read_time": "read_times", "read_wait": "read_time_build_to_ssch",
    "read_device": "read_time_ssch_to_irq", "read_end": "read_time_irq_to_end",
    "read_queue": "read_ccw_queue_length",
}  # fmt: skip
"""The histograms of the DASD driver, and what each is called there behind `histogram_`.

Bucket 0 counts what is less than 4, bucket i from 2**(i+1) to less than 2**(i+2), and the last all beyond:
sectors of 512 bytes, or microseconds; the weighted ones microseconds per sector.  Those of the queue count
requests: bucket i counts when i were there, and the last when there were 31 or more.
"""

_PROFILE: Final = "debugfs/dasd/*/statistics"

SECTORS: Final = U32 * 512 / 10e9
"""Seconds in which all DASD together move 2**32 sectors at 10 GB/s."""


def buckets(histogram: str) -> tuple[str, ...]:
    """Return the names of the fields that hold a histogram, one for each bucket."""
    return tuple(f"{histogram}_{bucket:02}" for bucket in range(BUCKETS))


def _profile_fields() -> tuple[Field, ...]:
    return (
        # a reset of the counts sets another start; the driver resets them itself when requests reach 2**32
        _identity("start", "seconds since 1970, as text", "start_time"),
        _identity("scale", "what counts were divided by", "/proc/dasd/statistics"),
        Field("via", Meaning.LABEL, "debugfs or proc", privacy=KEEP),
        *_counters("requests", "read_requests", unit="requests", source=_PROFILE),
        *_counters("sectors", "read_sectors", unit="sectors of 512", source=_PROFILE,
                   modulus=U32, wraps_after=SECTORS),
        *_counters("pav", "read_pav", unit="requests started on an alias", source=_PROFILE),
        *_counters("hpf", "read_hpf", unit="requests in transport mode", source=_PROFILE),
        *_gauges("mean_time", "mean_wait", "mean_device", "mean_end", unit="us since the start, rounded down",
                 source=_PROFILE),
        *(
            field
            for name, source in HISTOGRAMS.items()
            for field in _counters(*buckets(name), unit="requests", source=f"histogram_{source}")
        ),
    )  # fmt: skip


PROFILE: Final = Kind(
    "profile",
    "`global`, name of a volume: dasda, or bus id of a device that starts I/O: 0.0.7000",
    _profile_fields,  # there are hundreds, which most commands do not need
    key_form=rf"global|{BUSID_FORM}|{DISK_FORM}",
    key_privacy=DISK,
    plural="DASD statistics",
)
"""The DASD driver's own statistics, where they are switched on."""

KINDS: Final = {
    kind.name: kind
    for kind in (MACHINE, CHANNEL, DEVICE, CMF, BLOCK, DASD, CACHE, LPAR, LPAR_CPU, PHYSICAL_CPU,
                 GUEST, VIRTUAL_CPU, CPU, TASKS, INTERRUPT, DIAGNOSE, MEMORY, PRESSURE, UNIT, UNIT_IO, ROUNDS,
                 PROCESS, BLOCKED_TASK, OPEN_FILE,
                 MOUNT, SWAP, LAYER, MULTIPATH, PATH,
                 ADAPTER, LUN, TARGET_PORT, INTERFACE, QETH, PCI_FUNCTION,
                 CONTAINER, CLAIM, SETTING, PROFILE, SOURCE)
}  # fmt: skip
"""Every kind by its name."""
