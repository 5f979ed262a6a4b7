# Runs in the QEMU guest, by itself or behind scenario-kvm.sh: files on a disk with two paths and on the realtime
# device of an XFS, and for each where zmon says that it lies.  testbed/placed.py compares.
. /job/steps.sh
out=/job/out

say "placement: disks and file systems"
modprobe -a virtio_scsi sd_mod dm_multipath dm_service_time xfs
/usr/lib/systemd/systemd-udevd --daemon 2>/dev/null # multipath asks it which disks are one
udevadm trigger --action=add
udevadm settle --timeout=60
printf '%s\n' 'defaults {' 'find_multipaths no' 'user_friendly_names yes' '}' >/etc/multipath.conf
multipath -v0
disk=/dev/mapper/mpatha
echo ',,L' | sfdisk -q --no-reread --no-tell-kernel "$disk"
kpartx -a -s "$disk"
udevadm settle --timeout=30
make_fs "$(ls /dev/mapper/mpatha?*)" /srv/multipath
data=$(virtio_disk 7000) realtime=$(virtio_disk 7001)
mkfs.xfs -q -f -m reflink=0,rmapbt=0 -r "rtdev=$realtime" "$data"
mkdir -p /srv/xfs
mount -o "rtdev=$realtime" "$data" /srv/xfs
mkdir /srv/xfs/realtime
xfs_io -c 'chattr +t' /srv/xfs/realtime

say "placement: files"
paths=(/srv/multipath/file /srv/xfs/file /srv/xfs/realtime/file)
printf '%s\n' tablespace,path multipath,"${paths[0]}" xfs,"${paths[1]}" realtime,"${paths[2]}" >$out/placed.csv
python3 byte_by_byte.py write "${paths[@]/%/=6}"
sync

say "placement: where zmon says they are"
zmon placed.json where --format json "${paths[@]}"
zmon placed.log capture --passes 1 --listing $out/placed.csv $out/placed.tar.gz

say "placement: where they are"
python3 byte_by_byte.py compare "${paths[@]/%/=6}" >$out/bytes.json
say "placement has been looked at"
