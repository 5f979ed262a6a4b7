# Runs in the Hercules guest: all that is usual on DASDs of three control units, and what every tool says of it, beside a
# capture of the same moment; then the same with things missing.  With the word `archives` also dbginfo.sh, if it was
# brought along, and sos; with the word `sos` no more than the capture of `missing` and sos beside it.
. /job/steps.sh
. /job/tools-told.sh
out=/job/out
want=${1-}

# parts NUMBER [TRACKS,TRACKS,TYPE]...: z/OS-compatible layout with several partitions
parts() {
    local n=$1 try
    shift
    dasdfmt -y -b 4096 -d cdl -M quick -l "ZM$n" "$(disk "$n")" >/dev/null
    udevadm settle --timeout=30
    printf '%s\n' "$@" >/tmp/parts
    for try in {1..20}; do
        fdasd -s -k -c /tmp/parts "$(disk "$n")" >/dev/null 2>&1 && break
        sleep 2
    done
    await_partition "$n"
}

# unformat NUMBER: interrupt a format, after the kernel has taken away the first tracks and before they are written again
unformat() {
    local seconds
    for seconds in 0.3 0.5 0.8 1.2; do
        timeout -s INT "$seconds" dasdfmt -y -b 4096 -d cdl -M full "$(disk "$1")" >/dev/null 2>&1
        chccwdev -d "0.0.$1" >/dev/null
        online "0.0.$1"
        grep -q "^0.0.$1.*unformatted" /proc/dasd/devices && return
    done
    echo "volume $1 is formatted" >&2
}

lv() { lvcreate -qq -y -Wn --monitor n --name "$@"; }

name_machine lnxherc1
speak_german
modprobe -a dm_mod dm_crypt raid1 btrfs loop dm_raid dm_thin_pool dm_snapshot dm_multipath

say "texts: volumes on line"
online 0.0.7000-0.0.7003,0.0.7100-0.0.7103,0.0.7200-0.0.7202 # 7202 stays unformatted, 7203 off line
parts 7000 '[first,3000]' '[3001,6000,swap]' '[6001,last]'
parts 7003 '[first,8000]' '[8001,last,lvm]'
parts 7102 '[first,20000,lvm]' '[20001,last]'
parts 7103 '[first,20000]' '[20001,last,lvm]'
format_cdl 7001 7002 7100 7101 7200
format_ldl 7201
udevadm settle --timeout=60

unformat 7202

say "texts: a file system with several places, swap, a loop"
disk7000=$(disk 7000)
mkfs.ext4 -q -L boot "${disk7000}1"
mkdir -p /boot
mount "${disk7000}1" /boot
mkswap -L swap1 "${disk7000}2" >/dev/null
swapon "${disk7000}2"
make_fs "${disk7000}3" /srv/data
mkdir -p /srv/data/export /srv/export '/srv/data/with space' '/srv/with space' /srv/again
mount --bind /srv/data/export /srv/export
mount --bind '/srv/data/with space' '/srv/with space'
mount -o ro "${disk7000}3" /srv/again 2>/dev/null || mount "${disk7000}3" /srv/again
dd if=/dev/zero of=/srv/data/swapfile bs=1M count=16 status=none
chmod 600 /srv/data/swapfile
mkswap /srv/data/swapfile >/dev/null
swapon -p 5 /srv/data/swapfile
dd if=/dev/zero of=/srv/data/image bs=1M count=32 status=none
make_fs "$(losetup -f --show /srv/data/image)" /srv/loop
mkdir -p /srv/memory
mount -t tmpfs -o size=16m tmpfs /srv/memory
make_fs "$(disk 7201)1" /srv/ldl

say "texts: LVM"
vgcreate -qq data "$(disk 7001)1" "$(disk 7100)1" "$(disk 7101)1"
lv stripe -i 2 -I 64k -L 256m data "$(disk 7001)1" "$(disk 7100)1"
lv linear -L 128m data "$(disk 7101)1"
lv later -L 32m data "$(disk 7100)1"
lvextend -qq -L +32m data/later "$(disk 7101)1"
lv mirror -L 16m --type raid1 -m 1 --nosync data "$(disk 7001)1" "$(disk 7101)1"
lv pool -L 64m --type thin-pool --poolmetadatasize 4m -Zn data "$(disk 7100)1" 2>/dev/null || lvcreate -qq -y -L 64m --type thin-pool -n pool data
lvcreate -qq -y -Wn -V 48m --thinpool data/pool -n thin
lvcreate -qq -y -s -L 16m -n snap data/linear
for name in stripe linear later mirror thin; do make_fs /dev/data/$name /srv/$name; done
vgcreate -qq vg-db "$(disk 7102)1" "$(disk 7103)2"
lv tbs-1 -L 400m -i 2 vg-db
lv log-1 -L 64m vg-db "$(disk 7103)2"
make_fs /dev/vg-db/tbs-1 /srv/db2/tbs1
make_fs /dev/vg-db/log-1 /srv/db2/log1
pvcreate -qq "$(disk 7003)2" # of no group

say "texts: LUKS, md, btrfs"
echo -n secret >/tmp/key
cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "$(disk 7003)1" /tmp/key
cryptsetup open --key-file /tmp/key "$(disk 7003)1" luks && make_fs /dev/mapper/luks /srv/secret
mdadm -q --create /dev/md0 --run --level=1 --raid-devices=2 --assume-clean --metadata=1.2 "$(disk 7002)1" "$(disk 7200)1"
make_fs /dev/md0 /srv/md
mkfs.btrfs -q -f -L pool -d raid1 -m raid1 "$(disk 7102)2" "$(disk 7103)1"
mkdir -p /srv/btrfs /srv/home
mount -o "device=$(disk 7103)1" "$(disk 7102)2" /srv/btrfs
btrfs subvolume create /srv/btrfs/@home >/dev/null
mount -o subvol=@home "$(disk 7102)2" /srv/home
for place in boot srv/data srv/stripe srv/linear srv/db2/tbs1 srv/secret srv/md srv/btrfs srv/home; do
    dd if=/dev/urandom of="/$place/file" bs=1M count=2 status=none
done
sync
udevadm settle --timeout=60
printf '%s\n' 'LABEL=boot /boot ext4 defaults 0 2' '/dev/data/stripe /srv/stripe ext4 noatime 0 2' 'LABEL=swap1 none swap defaults 0 0' >/etc/fstab
[ "$want" = sos ] || told whole once

say "texts: members missing"
umount /srv/db2/tbs1 /srv/db2/log1 /srv/home /srv/btrfs
vgchange -qq -an vg-db
mdadm -q /dev/md0 --fail "$(disk 7200)1" --remove "$(disk 7200)1"
umount /srv/ldl
chccwdev -d 0.0.7102 0.0.7200 0.0.7201 >/dev/null
chccwdev -a readonly=1 -e 0.0.7201 >/dev/null
udevadm settle --timeout=60
mount -o ro "$(disk 7201)1" /srv/ldl
vgchange -qq -ay --activationmode partial vg-db
mount -o noinit_itable,noatime /dev/vg-db/log-1 /srv/db2/log1
btrfs device scan --forget 2>/dev/null
mount -o degraded "$(disk 7103)1" /srv/btrfs
udevadm settle --timeout=60
if [ "$want" = sos ]; then
    captured missing
    sos_report missing
else
    told missing
    [ "$want" != archives ] || archives missing
fi
say "texts are done"
