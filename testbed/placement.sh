# Runs in the Hercules guest, by itself or behind scenario.sh: files on all sorts of volumes over three control
# units, and for each where zmon says that it lies.  testbed/placed.py compares that with the bytes on the disks.
. /job/steps.sh
out=/job/out
[ -d /srv/plain ] || arrange

# small DEVICE NAME: an ext4 without a journal at /srv/NAME
small() {
    mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=1 "$1" && mkdir -p "/srv/$2" && mount -o noinit_itable,noatime "$1" "/srv/$2"
}

lv() { lvcreate -qq -y --monitor n --name "$@"; }

say "placement: volumes and file systems"
modprobe -a dm_raid raid0 dm_thin_pool btrfs
a=$(disk 7001)1 b=$(disk 7100)1 c=$(disk 7101)1
lv mirror -Wn -L 8m --type raid1 -m 1 --nosync data "$a" "$c"
lv later -Wn -L 8m -i 2 -I 16k data "$a" "$b"
small /dev/data/mirror mirror
small /dev/data/later later
lvextend -qq -i 1 -L +8m data/later "$c" # where the file system goes on only one volume is left
resize2fs /dev/data/later >/dev/null 2>&1
lv pool -L 16m -i 2 -I 64k --type thin-pool --poolmetadatasize 4m -Zn data "$b" "$c"
lv thin -V 24m --thinpool data/pool
small /dev/data/thin thin
# legs of different lengths: behind the end of the shorter one the array has but one
lv leg0 -Wn -L 4m data "$a"
lv leg1 -Wn -L 12m data "$b"
mdadm -q --create /dev/md1 --run --level=0 --raid-devices=2 --chunk=64 /dev/data/leg0 /dev/data/leg1
small /dev/md1 array
mdadm -q --stop /dev/md0
a=$(disk 7002)1 b=$(disk 7200)1
mkfs.btrfs -q -f -d raid0 -m raid1 "$a" "$b" && mkdir -p /srv/btrfs && mount -o "device=$b" "$a" /srv/btrfs

say "placement: files"
words=() paths=()
echo tablespace,path >$out/placed.csv
for file in plain=3 ldl=3 linear=3 stripe=5 mirror=3 later=12 thin=3 array=12 btrfs=5; do
    words+=("/srv/${file%=*}/file=${file#*=}")
    paths+=("/srv/${file%=*}/file")
    echo "${file%=*},/srv/${file%=*}/file" >>$out/placed.csv
done
python3 byte_by_byte.py write "${words[@]}"
sync

say "placement: where zmon says they are"
lsdasd -u >$out/placed-uid
zmon placed.json where --format json "${paths[@]}"
zmon placed.log capture --passes 1 --listing $out/placed.csv $out/placed.tar.gz

say "placement: where they are"
dmsetup message data-pool-tpool 0 reserve_metadata_snap
thin_dump -m /dev/mapper/data-pool_tmeta >/tmp/pool.xml
dmsetup message data-pool-tpool 0 release_metadata_snap
pool=$(dmsetup info -c --noheadings --separator : -o major,minor data-pool-tpool)
python3 byte_by_byte.py compare "${words[@]}" >$out/bytes.json
python3 byte_by_byte.py compare --dump "$pool=/tmp/pool.xml" /srv/thin/file=3 >$out/bytes-thin.json
say "placement has been looked at"
