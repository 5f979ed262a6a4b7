# Runs in the QEMU guest: a disk with two paths over two SCSI controllers under multipathd.  All I/O goes over one path,
# then over both; a path fails and comes back, a controller goes and comes back; an NVMe namespace with two controllers.
# What multipathd, the device mapper and the kernel say at each step is kept.
. /job/steps.sh
. /job/two-paths.sh
out=/job/out

# answers NAME: what multipathd, the device mapper and the kernel say now
answers() {
    local to=$out/answers/$1 question device
    mkdir -p "$to"
    date +%s.%N >"$to/at"
    for question in 'show maps json' 'show daemon' 'show status' 'show maps status' 'show maps stats' 'show topology' 'show paths' 'show config local' \
        'show paths raw format "%w|%d|%D|%t|%o|%T|%s|%c|%C|%p|%S|%z|%N|%n|%R|%r|%a|%A|%I|%0"' \
        'show maps raw format "%n|%w|%d|%F|%Q|%N|%r|%t|%0|%1|%2|%3|%4|%x|%S|%f|%h"'; do
        multipathd $question >"$to/$(echo "${question%% raw*}" | tr ' ' -)" 2>&1
    done
    dmsetup table >"$to/dmsetup-table"
    dmsetup status >"$to/dmsetup-status"
    dmsetup info -c >"$to/dmsetup-info"
    multipath -ll >"$to/multipath-ll" 2>/dev/null
    cat /proc/diskstats >"$to/diskstats"
    for device in /sys/class/scsi_host/* /sys/class/scsi_device/*/device /sys/block/sd* /sys/block/dm-* /sys/block/nvme* \
        /sys/class/nvme/* /sys/class/nvme-subsystem/*; do
        [ -e "$device" ] && echo "$device $(readlink -f "$device")"
    done >"$to/links"
    python3 keep.py "$to" $(cut -d' ' -f1 "$to/links")
}

say "multipath: a disk over two controllers"
start_multipath
udevadm monitor --kernel --udev --property --subsystem-match=block >$out/uevents 2>&1 &

policy failover
load_disk 16 1200 --rate_iops=200
sleep 5
answers failover
python3 -m zmon record $out/paths-days --interval 2 --for 100s 2>$out/paths-days.log &
recorder=$!
sleep 25
say "a path fails"
path=$(ls "/sys/block/$(basename "$(readlink -f $disk)")/slaves" | head -1)
date +%s.%N >$out/failed
multipathd fail path "$path"
echo offline >"/sys/block/$path/device/state"
sleep 8
answers failed
sleep 10
say "it comes back"
date +%s.%N >$out/reinstated
echo running >"/sys/block/$path/device/state"
multipathd reinstate path "$path"
sleep 10
answers reinstated
policy multibus
sleep 8
answers multibus
say "a controller goes"
date +%s.%N >$out/controller-gone
chccwdev -d 0.0.7200
sleep 8
answers controller-gone
chccwdev -e 0.0.7200
date +%s.%N >$out/controller-back
sleep 8
answers controller-back
wait $recorder
zmon paths-capture.log capture --interval 5 --passes 2 $out/paths.tar.gz

say "NVMe over the kernel's own target"
modprobe -a nvmet nvme_loop 2>&1
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
if cd /sys/kernel/config/nvmet; then
    mkdir subsystems/zmon subsystems/zmon/namespaces/1
    echo 1 >subsystems/zmon/attr_allow_any_host
    disk7003=/dev/$(ls /sys/bus/ccw/devices/0.0.7003/virtio*/block)
    echo -n "$disk7003" >subsystems/zmon/namespaces/1/device_path
    echo 1 >subsystems/zmon/namespaces/1/enable
    for port in 1 2; do
        mkdir ports/$port
        echo loop >ports/$port/addr_trtype
        ln -s /sys/kernel/config/nvmet/subsystems/zmon ports/$port/subsystems/zmon
    done
    for port in 1 2; do
        echo "transport=loop,nqn=zmon,hostnqn=nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000001,hostid=00000000-0000-0000-0000-000000000001" >/dev/nvme-fabrics
    done
    cd /job
    udevadm settle
    ls -l /sys/class/nvme /sys/class/nvme-subsystem /sys/block
    fio --name=nvme --filename=/dev/nvme0n1 --rw=randread --bs=4k --size=32m --direct=1 --ioengine=libaio --iodepth=4 --rate_iops=50 \
        --time_based --runtime=60 --thread --output-format=json --output=$out/fio-nvme.json &
    sleep 3
    answers nvme
    zmon nvme-capture.log capture --interval 5 --passes 2 $out/nvme.tar.gz
    answers nvme-later
fi
cd /job
pkill fio
sleep 3
dmesg | tail -100 >$out/dmesg
stop_multipath
say "paths are done"
