"""The metrics that zmon exports: names, types, labels and help; docs/metrics.md is made from them.

Names follow Prometheus: a prefix, base units, `_total` for counters, `_info` for what only describes.  The
help of a metric never varies: node_exporter drops a family whose help differs in two files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.clock import SECOND
from zmon.base.sizes import SECTOR
from zmon.kinds import CACHE
from zmon.sample import Meaning

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTER: Final = "counter"
GAUGE: Final = "gauge"
INFO: Final = "info"
UNITS: Final = ("seconds", "bytes", "ratio")
"""The units that names may end in."""
LCU: Final = ("box", "lcu")
"""The labels by which the guests of a machine are joined: serial of the box, SSID."""
CHANNEL: Final = ("cpc", "css", "chpid", "type")
DIRECTION: Final = "direction"


class Metric(NamedTuple):
    """One family."""

    name: str
    """Without `_total`."""
    type: str
    labels: tuple[str, ...]
    help: str
    source: str = ""
    """Where zmon reads it."""

    @property
    def unit(self) -> str:
        """The unit that the name ends in; empty if it has none."""
        return next((unit for unit in UNITS if self.name.endswith(f"_{unit}")), "")

    @property
    def sample(self) -> str:
        """The name of its samples."""
        return f"{self.name}_total" if self.type == COUNTER else self.name


class DiskCounter(NamedTuple):
    """A counter of the kernel that is added up for LCUs, for devices and for the system."""

    name: str
    field: str
    factor: int
    """A difference of the kernel's counter is multiplied by this ..."""
    divisor: int
    """... and divided by that."""
    help: str
    direction: str = ""

    def text(self, total: float) -> str:
        """Write an accumulated total in the unit of the metric."""
        return repr(total * self.factor / self.divisor) if self.divisor > 1 else repr(total * self.factor)


CMF_COUNTERS: Final = (
    DiskCounter("ssch", "ssch", 1, 1, "I/O operations that were started (start and resume subchannel)."),
    DiskCounter("timed", "samples", 1, 1, "I/O operations that the channel subsystem timed."),
    DiskCounter("connect_seconds", "connect", 1, SECOND, "Time in which data or commands were transferred."),
    DiskCounter("disconnect_seconds", "disconnect", 1, SECOND,
                "Time in which the storage server worked alone."),
    DiskCounter("pending_seconds", "pending", 1, SECOND,
                "Time in which I/O waited for a path, LCU or device."),
    DiskCounter("cu_busy_seconds", "cu_queue", 1, SECOND, "Time in which I/O waited for the control unit."),
    DiskCounter("device_busy_seconds", "busy", 1, SECOND, "Time in which I/O waited for a busy device."),
    DiskCounter("device_active_seconds", "active_only", 1, SECOND,
                "Time in which the device alone was active."),
)  # fmt: skip
"""Channel measurement of DASD; time per operation is seconds by `timed`."""
BLOCK_COUNTERS: Final = (
    DiskCounter("reads", "reads", 1, 1, "Reads that Linux completed."),
    DiskCounter("writes", "writes", 1, 1, "Writes that Linux completed."),
    DiskCounter("read_bytes", "sectors_read", SECTOR, 1, "Bytes that Linux read."),
    DiskCounter("written_bytes", "sectors_written", SECTOR, 1, "Bytes that Linux wrote."),
    DiskCounter("io_seconds", "read_ms", 1, 1000, "Time of requests from their begin to their end in Linux.",
                "read"),
    DiskCounter("io_seconds", "write_ms", 1, 1000, "Time of requests from their begin to their end in Linux.",
                "write"),
)  # fmt: skip
"""What the block layer counts of disks, each I/O once: neither logical volumes nor single paths."""


def _of_disks(prefix: str, labels: tuple[str, ...], counters: Sequence[DiskCounter]) -> tuple[Metric, ...]:
    families = {}
    for counter in counters:
        own = (*labels, DIRECTION) if counter.direction else labels
        source = "cmf/*" if counter in CMF_COUNTERS else "/proc/diskstats"
        families[counter.name] = Metric(f"{prefix}_{counter.name}", COUNTER, own, counter.help, source)
    return tuple(families.values())


BUILD_INFO: Final = Metric("zmon_build_info", INFO, ("version",), "The version of zmon.")
HOST_INFO: Final = Metric(
    "zmon_host_info", INFO, ("guest", "hypervisor", "lpar", "cpc", "cpc_type", "vm_system"),
    "What this Linux runs in; cpc is the serial number of the machine.", "/proc/sysinfo",
)  # fmt: skip
SIMULATED: Final = Metric("zmon_simulated", GAUGE, (), "1 if this machine is simulated; else there is none.")
SAMPLED_AT: Final = Metric(
    "zmon_sample_timestamp_seconds", GAUGE, (), "When the last sample was taken, in seconds since 1970."
)
SAMPLE_AGE: Final = Metric(
    "zmon_sample_age_seconds", GAUGE, (), "Time since the last sample, when this text was requested."
)
SOURCE_UP: Final = Metric(
    "zmon_source_up", GAUGE, ("source",), "1 if zmon can read this source, else 0; zmon show ZMON says why."
)
SOURCE_SECONDS: Final = Metric(
    "zmon_source_seconds", COUNTER, ("source",), "Time that reading this source took."
)

MISTAKE: Final = Metric(
    "zmon_mistake", GAUGE, ("part",),
    "1 for each part of zmon that has a mistake of its own, so that what it would say is lacking.",
)  # fmt: skip

LCU_INFO: Final = Metric(
    "zmon_lcu_info", INFO, (*LCU, "box_type", "vendor", "kind"),
    "A logical control unit; lcu is its SSID (kind eckd), or its LSS (kind fcp).", "uid",
)  # fmt: skip
LCU_DEVICES: Final = Metric(
    "zmon_lcu_devices", GAUGE, (*LCU, "role"), "Devices of this guest: base, alias or offline.", "uid"
)
LCU_QUEUE: Final = Metric(
    "zmon_lcu_queue_seconds", COUNTER, LCU,
    "Estimate of the time that requests waited in Linux before they were started.", "/proc/diskstats, cmf/*",
)  # fmt: skip
POOL_ALIASES: Final = Metric("zmon_pool_aliases", GAUGE, LCU, "Aliases that this guest has.", "uid")
POOL_BUSY: Final = Metric(
    "zmon_pool_aliases_busy", GAUGE, LCU, "Aliases that ran an I/O, on average over the last minute.", "cmf/*"
)
LCU_METRICS: Final = _of_disks("zmon_lcu", LCU, (*CMF_COUNTERS, *BLOCK_COUNTERS))
SYSTEM_METRICS: Final = _of_disks("zmon_system", (), (*CMF_COUNTERS, *BLOCK_COUNTERS))
DASD_METRICS: Final = _of_disks("zmon_dasd", ("device",), (*CMF_COUNTERS, *BLOCK_COUNTERS))
DASD_INFO: Final = Metric(
    "zmon_dasd_info", INFO, ("device", "name", *LCU, "volser", "chpids"), "A DASD that is online.", "uid"
)
CACHE_COUNTERS: Final = tuple(
    DiskCounter(field.name, field.name, 1, 1,
                f"Operations that the storage server counted as {field.name} for the volumes of this guest.")
    for field in CACHE.fields if field.meaning is Meaning.COUNTER
)  # fmt: skip
"""Cache statistics of the storage server, where they are read (--cache)."""
CACHE_METRICS: Final = tuple(
    Metric(f"zmon_cache_{cache_counter.name}", COUNTER, LCU, cache_counter.help, "BIODASDPSRD")
    for cache_counter in CACHE_COUNTERS
)

CHANNEL_BUSY: Final = Metric(
    "zmon_channel_busy_ratio", GAUGE, CHANNEL,
    "Utilisation by all partitions, over the last minute; each guest reads the same.", "measurement",
)  # fmt: skip
CHANNEL_OWN: Final = Metric(
    "zmon_channel_own_busy_ratio", GAUGE, CHANNEL, "Utilisation by this partition, over the last minute.",
    "measurement",
)  # fmt: skip
CHANNEL_BYTES: Final = Metric(
    "zmon_channel_bytes", COUNTER, (*CHANNEL, DIRECTION, "scope"),
    "Bytes transferred: by all partitions (scope cpc), or by this one (scope own).", "measurement",
)  # fmt: skip

ADAPTER_INFO: Final = Metric(
    "zmon_fcp_adapter_info", INFO, ("adapter", "wwpn", "port_type"), "An FCP adapter.", "fc_host"
)
ADAPTER_UP: Final = Metric("zmon_fcp_adapter_up", GAUGE, ("adapter",), "1 if its port is online.", "fc_host")
ADAPTER_USE: Final = Metric(
    "zmon_fcp_adapter_busy_ratio", GAUGE, ("adapter", "part"),
    "Utilisation of the whole adapter by all partitions: processor, bus, port.", "scsi_host",
)  # fmt: skip
ADAPTER_REQUESTS: Final = Metric(
    "zmon_fcp_adapter_requests", COUNTER, ("adapter", "request"),
    "Requests of all partitions: inputs, outputs, controls.", "scsi_host",
)  # fmt: skip
ADAPTER_BYTES: Final = Metric(
    "zmon_fcp_adapter_bytes", COUNTER, ("adapter", DIRECTION), "Bytes of all partitions.", "scsi_host"
)
ADAPTER_FULL: Final = Metric(
    "zmon_fcp_adapter_queue_full", COUNTER, ("adapter",), "How often the request queue was full.", "scsi_host"
)
ADAPTER_PORTS: Final = Metric(
    "zmon_fcp_ports", GAUGE, ("adapter", "state"), "Remote ports behind an adapter: online, lost.",
    "fc_remote_ports",
)  # fmt: skip
PATHS: Final = Metric(
    "zmon_paths", GAUGE, ("state",), "SCSI paths of multipath devices by state.", "multipath"
)
PATH_STATE: Final = Metric(
    "zmon_path_state", GAUGE, ("map", "path", "state"),
    "1 for the state of each path of a map that has a path that is not active.", "multipath",
)  # fmt: skip

CPU_SECONDS: Final = Metric(
    "zmon_system_cpu_seconds", COUNTER, ("mode",), "Time of all processors in each mode.", "/proc/stat"
)
CPUS: Final = Metric("zmon_system_cpus", GAUGE, (), "Processors that are online.", "/proc/stat")
MEMORY_TOTAL: Final = Metric("zmon_system_memory_bytes", GAUGE, (), "Memory of this Linux.", "/proc/meminfo")
MEMORY_AVAILABLE: Final = Metric(
    "zmon_system_memory_available_bytes",
    GAUGE,
    (),
    "Memory that can be had without swapping.",
    "/proc/meminfo",
)

EXCEPTION: Final = Metric(
    "zmon_exception", GAUGE, ("rule", "severity", "object"),
    "1 while an exception is open; the first hundred by level and weight.", "rules/*.toml",
)  # fmt: skip
EXCEPTIONS: Final = Metric(
    "zmon_exceptions_open", GAUGE, ("severity",), "Exceptions that are open: bad, look.", "rules/*.toml"
)
DIAGNOSIS: Final = Metric(
    "zmon_diagnosis_lost_requests", GAUGE, ("id", "confidence", "object"),
    "Requests that wait because of what a diagnosis says, on average over the last minute.", "zmon diagnose",
)  # fmt: skip
CALM: Final = Metric(
    "zmon_verdict_calm", GAUGE, (), "1 if no diagnosis applies to the last minute, else 0.", "zmon diagnose"
)

METRICS: Final = (
    BUILD_INFO, HOST_INFO, SIMULATED, SAMPLED_AT, SAMPLE_AGE, SOURCE_UP, SOURCE_SECONDS, MISTAKE,
    LCU_INFO, LCU_DEVICES, *LCU_METRICS, LCU_QUEUE, POOL_ALIASES, POOL_BUSY, *CACHE_METRICS,
    CHANNEL_BUSY, CHANNEL_OWN, CHANNEL_BYTES,
    ADAPTER_INFO, ADAPTER_UP, ADAPTER_USE, ADAPTER_REQUESTS, ADAPTER_BYTES, ADAPTER_FULL, ADAPTER_PORTS,
    PATHS, PATH_STATE,
    *SYSTEM_METRICS, CPU_SECONDS, CPUS, MEMORY_TOTAL, MEMORY_AVAILABLE,
    EXCEPTION, EXCEPTIONS, DIAGNOSIS, CALM,
    DASD_INFO, *DASD_METRICS,
)  # fmt: skip
"""All of them, in the order of the text."""
OWN_LABELS: Final = frozenset(label for metric in METRICS for label in metric.labels)
"""The labels that zmon gives; a series has each once."""
