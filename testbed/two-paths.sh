# Sourced in the QEMU guest: the disk that two SCSI controllers lead to, under multipathd.

disk=/dev/mapper/mpatha

start_multipath() {
    modprobe -a virtio_scsi sd_mod dm_multipath dm_service_time dm_round_robin
    udevadm control --ping --timeout=5 2>/dev/null || /usr/lib/systemd/systemd-udevd --daemon
    udevadm trigger --action=add
    udevadm settle --timeout=60
    mkdir -p /run/multipathd
    write_policy failover
    multipathd -d -s ${MULTIPATHD_VERBOSITY-} 2>/job/out/multipathd.log &
    multipathd=$!
    local second
    for second in {1..60}; do
        [ -b $disk ] && return
        sleep 1
    done
    echo "no $disk" >&2
}

stop_multipath() { kill $multipathd; }

write_policy() {
    printf '%s\n' 'defaults {' 'find_multipaths no' 'user_friendly_names yes' 'polling_interval 2' 'max_polling_interval 2' \
        "path_grouping_policy $1" 'path_selector "round-robin 0"' 'rr_min_io_rq 1' 'no_path_retry queue' '}' \
        'blacklist {' 'devnode "^(vd|dasd|nvme)"' '}' >/etc/multipath.conf
}

# policy NAME: lay the paths out anew: failover or multibus
policy() {
    write_policy "$1"
    multipathd reconfigure all
    sleep 3
}

# load_disk REQUESTS SECONDS [OPTION...]: keep so many reads in the disk
load_disk() {
    fio --name=scsi --filename=$disk --rw=randread --bs=4k --size=32m --direct=1 --ioengine=libaio --iodepth="$1" --time_based \
        --runtime="$2" --thread --output-format=json --output=/job/out/fio-scsi.json "${@:3}" &
    fio=$!
}
