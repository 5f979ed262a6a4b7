# Sourced in the guest: what the scenarios do.  Volumes are named by device number: 7000.

# say WORDS: into the job's output, and on the console, where boot.py notes when each step began
say() {
    echo "=== $* [up $(cut -d' ' -f1 /proc/uptime)]"
    echo "testbed: $*" >/dev/console
}

# disk NUMBER, virtio_disk NUMBER: its block device
disk() { echo "/dev/$(ls "/sys/bus/ccw/devices/0.0.$1/block")"; }
virtio_disk() { echo "/dev/$(ls /sys/bus/ccw/devices/0.0."$1"/virtio*/block)"; }

# write_site: no virtio disk has an LCU, so a site file, /job/site.toml, says which is on which
write_site() {
    cat >/job/site.toml <<'TOML'
vdev_is_rdev = true

[[lcu_by_number]]
serial = "*"
ranges = { "7000-7001" = "7000", "7002-7003" = "7100" }
TOML
}

online() { chccwdev -e "$@" >/dev/null && udevadm settle --timeout=60; }

measure() { local n; for n; do echo 1 >"/sys/bus/ccw/devices/0.0.$n/cmb_enable"; done; }

# the kernel reads the new label some time after fdasd asked for it
await_partition() {
    local try
    for try in {1..30}; do
        [ -b "$(disk "$1")1" ] && return
        sleep 1
        blockdev --rereadpt "$(disk "$1")" 2>/dev/null
    done
    echo "volume $1 has no partition" >&2
    return 1
}

# udev looks at a volume that was formatted, and while it does the volume is in use
partition() {
    local try
    for try in {1..20}; do
        fdasd -s -k -a "$(disk "$1")" >/dev/null 2>&1 && return
        sleep 2
    done
    fdasd -s -k -a "$(disk "$1")" >/dev/null
}

# z/OS-compatible layout, one partition over the whole volume
format_cdl() {
    local n
    for n; do
        dasdfmt -y -b 4096 -d cdl -M quick -l "ZM$n" "$(disk "$n")" >/dev/null
        udevadm settle --timeout=30
        partition "$n"
        await_partition "$n"
    done
}

# Linux disk layout: its only partition is implied
format_ldl() { dasdfmt -y -b 4096 -d ldl -M quick -l "ZM$1" "$(disk "$1")" >/dev/null && await_partition "$1"; }

# make_fs DEVICE DIRECTORY: an ext4 that does not go on writing by itself
make_fs() {
    mkfs.ext4 -q -E lazy_itable_init=1,lazy_journal_init=1 "$1"
    mkdir -p "$2"
    mount -o noinit_itable,noatime,commit=60 "$1" "$2"
}

# arrange: volumes of three control units, file systems, a stripe over two control units, a mirror
arrange() {
    say "volumes on line"
    online 0.0.7000-0.0.7003,0.0.7100-0.0.7103,0.0.7200-0.0.7202 # 7203 stays off line
    format_cdl 7000 7001 7002 7100 7101 7200
    format_ldl 7201
    udevadm settle --timeout=60

    say "file systems, a stripe over two control units, a mirror"
    make_fs "$(disk 7000)1" /srv/plain
    make_fs "$(disk 7201)1" /srv/ldl
    modprobe -a dm_mod raid1
    vgcreate -qq data "$(disk 7001)1" "$(disk 7100)1" "$(disk 7101)1"
    lvcreate -qq -y -Wn -i 2 -I 64k -L 256m -n stripe data "$(disk 7001)1" "$(disk 7100)1"
    lvcreate -qq -y -Wn -L 256m -n linear data "$(disk 7101)1"
    make_fs /dev/data/stripe /srv/stripe
    make_fs /dev/data/linear /srv/linear
    mdadm -q --create /dev/md0 --run --level=1 --raid-devices=2 --assume-clean --metadata=1.2 "$(disk 7002)1" "$(disk 7200)1"
    udevadm settle --timeout=60 # it looks what is on each member
}

# load NAME TARGET READS/s WRITES/s BLOCKSIZE [OPTION...]: in the background, for $seconds, at a
# fixed rate; TARGET is a directory or a block device.  The report goes to /job/out/fio-NAME.json.
load() {
    local name=$1 target=$2 reads=$3 writes=$4 block=$5 where=--directory kind=randrw
    shift 5
    [ -b "$target" ] && where=--filename
    [ "$writes" -eq 0 ] && kind=randread
    [ "$reads" -eq 0 ] && kind=randwrite # fio takes a rate of 0 for no limit
    fio --name="$name" "$where=$target" --rw="$kind" --rate_iops="$reads,$writes" --bs="$block" --size=24m \
        --direct=1 --ioengine=libaio --iodepth=4 --thread --time_based --runtime="${seconds:?}" \
        --output-format=json --output="/job/out/fio-$name.json" "$@" &
}

# watch_counters FILE: until killed, note about once a second what the kernel counts, with the time
watch_counters() {
    local count
    while sleep 1; do
        echo "at $EPOCHREALTIME"
        cat /proc/diskstats
        for count in /sys/bus/ccw/devices/*/cmf/ssch_rsch_count; do
            [ -e "$count" ] && echo "ssch ${count:21:8} $(<"$count")"
        done
    done >"$1" 2>/dev/null
}

# await_notes: until a note of what the kernel counts was begun and ended from here on
await_notes() {
    local noted
    noted=$(grep -c '^at ' /job/out/counters)
    while [ "$(grep -c '^at ' /job/out/counters)" -lt $((noted + 2)) ]; do sleep 1; done
}

# begin_load: note what the kernel counts, from before the first read on; loads then run for $seconds
begin_load() {
    : >/job/out/counters
    watch_counters /job/out/counters &
    watcher=$!
    await_notes
    seconds=1800 # longer than zmon takes to look, however busy the host is
}

# end_load: the reports of fio, and a whole note behind its last read, which lies behind zmon's last interval
end_load() {
    local others
    await_notes
    pkill fio
    others=$(jobs -p | grep -v "^$watcher$")
    [ -z "$others" ] || wait $others # without words it would wait for the watcher, which never ends
    await_notes
    kill $watcher
}

# zmon FILE ARGUMENT...: run zmon; what it prints goes to /job/out/FILE, its complaints beside it
zmon() {
    local file=/job/out/$1
    shift
    python3 -m zmon "$@" >"$file" 2>"$file.errors" || echo "zmon $*: status $? $(tail -1 "$file.errors")"
}

# record NAME ARGUMENT...: zmon record into /job/out/NAME, at a rate that an emulated processor can keep up with;
# its words and its exit status come beside it
record() {
    local name=$1
    shift
    python3 -m zmon record "/job/out/$name" --interval 2 "$@" 2>"/job/out/$name.log"
    echo $? >"/job/out/$name.status"
    ls -l "/job/out/$name" >"/job/out/$name.files"
}

# sit_at_screens COMMANDS: type the commands at live screens whose samples are recorded; what is said goes to
# /job/out/session.said, what they PRINT to /job/out/session/.  The interval is so long that only NEXTSAMP takes a sample.
sit_at_screens() {
    local line
    mkdir -p /job/out/session
    cp "$1" /job/out/session.commands
    while IFS= read -r line; do
        [ "$line" = NEXTSAMP ] && sleep 8
        echo "$line"
    done <"$1" | (cd /job/out/session && python3 -m zmon --line --interval 3600 --cache --record /job/out/session.zmon) \
        >/job/out/session.said 2>/job/out/session.errors
    ls -l /job/out/session.zmon* >/job/out/session.files
}

# replay NAME RECORDING COMMANDS: type the same at a recording
replay() {
    mkdir -p "/job/out/$1"
    (cd "/job/out/$1" && python3 -m zmon replay --line --at begin "$2") <"$3" >"/job/out/$1.said" 2>"/job/out/$1.errors"
}

# story NAME WORDS LOAD [OPTION...]: while fio runs, measure how soon zmon names it; then end it
story() {
    local name=$1 words=$2 load=$3 file
    file=${1//,/}
    shift 3
    sleep 15
    python3 stories.py seconds "$name" --words "$words" --load "$load" --out "/job/out/story-${file// /-}.json" --options="$*"
    pkill fio
    wait $(jobs -p)
}
