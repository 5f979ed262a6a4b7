# Runs in the QEMU guest: what is usual on SCSI disks with several paths and on virtio disks, and what every tool says of
# it, beside a capture of the same moment; then the same with paths taken away.  With the word `archives` also sos;
# with the word `sos` no more than the capture of `paths` and sos beside it.
#
#   boot.py --machine qemu --systemd --timeout 3000 --bring testbed/steps.sh --bring testbed/two-paths.sh \
#       --bring testbed/tools-told.sh --bring testbed/texts-kvm.sh --out OUT -- bash texts-kvm.sh archives
. /job/steps.sh
. /job/two-paths.sh
. /job/tools-told.sh
out=/job/out
want=${1-}

# volume NAME SERIAL MEGABYTES: a volume of the kernel's own target, called as a DS8000 calls its volumes
volume() {
    local core=/sys/kernel/config/target/core/fileio_0/$1
    mkdir -p "$core"
    echo "fd_dev_name=/job/$1.img,fd_dev_size=$(($3 << 20))" >"$core/control"
    echo 1 >"$core/enable"
    echo 0x005076 >"$core/wwn/company_id"
    echo IBM >"$core/wwn/vendor_id"
    echo 2107900 >"$core/wwn/product_id"
    echo 1060 >"$core/wwn/revision"
    echo "$2" >"$core/wwn/vpd_unit_serial"
}

# port WWN LUN=VOLUME...: a host adapter of the target, which leads to volumes
port() {
    local port=/sys/kernel/config/target/loopback/$1/tpgt_1 pair
    mkdir -p "$port"
    echo "naa.6001405$(printf %09d "$((port_number += 1))")" >"$port/nexus"
    for pair in "${@:2}"; do
        mkdir -p "$port/lun/lun_${pair%=*}"
        ln -s "/sys/kernel/config/target/core/fileio_0/${pair#*=}" "$port/lun/lun_${pair%=*}/"
    done
}

name_machine lnxkvm1
speak_german
mkdir -p /etc/target
modprobe -a configfs target_core_mod target_core_file tcm_loop dm_mod dm_crypt btrfs xfs raid1 loop sg
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config

say "texts: volumes with four paths"
volume v1500 303ffd1210000000000001500 96
volume v1501 303ffd1210000000000001501 96
volume v2602 303ffd1210000000000002602 64
for wwn in naa.5005076303000001 naa.5005076303000002 naa.5005076303000003 naa.5005076303000004; do
    port $wwn 0=v1500 1=v1501 2=v2602
done
start_multipath
udevadm settle --timeout=60

say "texts: partitions, LVM on maps"
printf '%s\n' ',16M,L' ',16M,L' ',,E6D6D379-F507-44C2-A23C-238F2A3DF928' | sfdisk -q --no-reread --no-tell-kernel --label gpt $disk
kpartx -a -s $disk
udevadm settle --timeout=60
part() { ls -d "$disk"*"$1" | head -1; } # mpatha1 of kpartx, mpatha-part1 of udev
make_fs "$(part 1)" /srv/part
pvcreate -qq "$(part 3)"
vgcreate -qq san "$(part 3)"
lvcreate -qq -y -Wn -L 12m -n data san
make_fs /dev/san/data /srv/san
ds=($(for serial in 1500 1501 2602; do ls /dev/disk/by-id/dm-uuid-mpath-36005076303ffd121000000000000$serial; done))
pvcreate -qq "${ds[0]}" "${ds[1]}"
vgcreate -qq db2vg "${ds[0]}" "${ds[1]}"
lvcreate -qq -y -Wn -i 2 -I 64k -L 64m -n tbs1 db2vg
lvcreate -qq -y -Wn -L 24m -n log1 db2vg
make_fs /dev/db2vg/tbs1 /srv/db2/tbs1
make_fs /dev/db2vg/log1 /srv/db2/log1
make_fs "${ds[2]}" /srv/whole

say "texts: virtio disks, LVM on LUKS, swap"
first=$(virtio_disk 7002) second=$(virtio_disk 7003)
printf '%s\n' ',64M,L' ',64M,S' ',,L' | sfdisk -q --label gpt "$first"
udevadm settle --timeout=60
mkfs.ext4 -q -L boot "${first}1"
mkdir -p /boot
mount "${first}1" /boot
mkswap -L swap1 "${first}2" >/dev/null
swapon "${first}2"
echo -n secret >/tmp/key
cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "${first}3" /tmp/key
cryptsetup open --key-file /tmp/key "${first}3" luks
pvcreate -qq /dev/mapper/luks
vgcreate -qq sysvg /dev/mapper/luks
lvcreate -qq -y -Wn -L 64m -n home sysvg
lvcreate -qq -y -Wn -L 32m -n swap sysvg
mkswap /dev/sysvg/swap >/dev/null
swapon -p 7 /dev/sysvg/swap
make_fs /dev/sysvg/home /srv/home
mkfs.btrfs -q -f -L pool "$second"
mkdir -p /srv/btrfs
mount "$second" /srv/btrfs
btrfs subvolume create /srv/btrfs/@var >/dev/null
mkdir -p /srv/var
mount -o subvol=@var "$second" /srv/var
mkfs.xfs -q -f "$(virtio_disk 7000)"
mkdir -p /srv/xfs
mount "$(virtio_disk 7000)" /srv/xfs
dd if=/dev/zero of=/srv/home/image bs=1M count=16 status=none
make_fs "$(losetup -f --show /srv/home/image)" /srv/loop
for place in boot srv/part srv/san srv/db2/tbs1 srv/db2/log1 srv/whole srv/home srv/btrfs srv/var srv/xfs; do
    dd if=/dev/urandom of="/$place/file" bs=1M count=1 status=none
done

say "texts: NVMe over the kernel's own target"
modprobe -a nvmet nvme_loop
if mkdir -p /sys/kernel/config/nvmet/subsystems/zmon/namespaces/1; then
    subsystem=/sys/kernel/config/nvmet/subsystems/zmon
    echo 1 >$subsystem/attr_allow_any_host
    echo 0000000000zmon01 >$subsystem/attr_serial 2>/dev/null
    virtio_disk 7001 | tr -d '\n' >$subsystem/namespaces/1/device_path
    echo 1 >$subsystem/namespaces/1/enable
    for number in 1 2; do
        mkdir /sys/kernel/config/nvmet/ports/$number
        echo loop >/sys/kernel/config/nvmet/ports/$number/addr_trtype
        ln -s $subsystem /sys/kernel/config/nvmet/ports/$number/subsystems/zmon
    done
    host=00000000-0000-0000-0000-000000000001
    for number in 1 2; do
        echo "transport=loop,nqn=zmon,hostnqn=nqn.2014-08.org.nvmexpress:uuid:$host,hostid=$host" >/dev/nvme-fabrics
    done
    udevadm settle --timeout=30
    [ ! -b /dev/nvme0n1 ] || make_fs /dev/nvme0n1 /srv/nvme
fi
sync
udevadm settle --timeout=60
[ "$want" = sos ] || told whole once

say "texts: a path of each of two maps taken away, and one failed"
one_path() { ls "/sys/block/$(basename "$(readlink -f "$1")")/slaves" | sed -n "$2p"; }
multipathd disablequeueing maps
echo 1 >"/sys/block/$(one_path $disk 1)/device/delete"
echo 1 >"/sys/block/$(one_path "${ds[0]}" 2)/device/delete"
failing=$(one_path "${ds[1]}" 3)
echo offline >"/sys/block/$failing/device/state"
multipathd fail path "$failing"
sleep 5
if [ "$want" = sos ]; then
    captured paths
    sos_report paths
    stop_multipath
    exit
fi
told paths
[ "$want" != archives ] || archives paths

say "texts: all paths of a map taken away"
umount /srv/whole
multipathd disablequeueing maps # else whoever asks the map waits for ever
for path in $(ls "/sys/block/$(basename "$(readlink -f "${ds[2]}")")/slaves"); do
    echo offline >"/sys/block/$path/device/state"
    multipathd fail path "$path"
done
for path in $(ls "/sys/block/$(basename "$(readlink -f $disk)")/slaves"); do
    echo 1 >"/sys/block/$path/device/delete"
done
sleep 5
told gone

stop_multipath
say "texts are done"
