# Runs in the QEMU guest under systemd: services and a container do I/O to disks of their own while zmon records; then a task
# waits for a suspended device, recorded and seen.  testbed/attributed.py compares what zmon recorded of each unit with fio's own
# counts, and with the counters of the disks.
#
#   boot.py --machine qemu --systemd --timeout 1800 --bring testbed/steps.sh --bring testbed/keep.py --bring testbed/services.sh \
#       --bring testbed/glass.sh --bring testbed/units.sh --out OUT -- bash units.sh
. /job/steps.sh
. /job/services.sh
. /job/glass.sh

say "disks"
make_fs "$(virtio_disk 7000)" /srv/first
make_fs "$(virtio_disk 7001)" /srv/second
mkdir -p /srv/second/backup /srv/second/box
begin_load
zmon warm show USERIO --interval 1 --count 1

say "units, whose I/O begins and ends while zmon records"
kept begin
python3 -m zmon record $out/unit-days --interval 2 --for 30m 2>$out/unit-days.log &
recorder=$!
await_changes 3 240 recorded $out/unit-days # all that fio does begins and ends while it records
job oltp db.slice /srv/first 40 randread 50
job batch db.slice /srv/first 15 randwrite 50
job backup backup.slice /srv/second/backup 10 write 50
if [ -e /usr/bin/systemd-nspawn ]; then
    unit box machine.slice bash -c "systemd-nspawn --quiet --register=no --keep-unit --settings=no -D / --volatile=yes \
        --bind=/srv/second/box --bind=$out fio --name=box --directory=/srv/second/box --rw=randread --rate_iops=12 --bs=4k \
        --size=12m --direct=1 --ioengine=libaio --iodepth=2 --time_based --runtime=50 --output-format=json \
        --output=$out/fio-box.json; sleep 3600"
fi
sleep 25
systemctl list-units --no-pager --type=service,slice,scope >$out/list-units
systemd-cgls --no-pager >$out/cgls
for name in oltp batch backup box; do
    systemctl is-active --quiet $name && await_file $out/fio-$name.json 300
done
await_changes 3 240 recorded $out/unit-days
kill -INT $recorder
wait $recorder
kept end
zmon capture.log capture --interval 5 --passes 2 $out/units.tar.gz

say "tasks that wait for a suspended device"
modprobe -a loop dm_mod
truncate -s 64M /srv/second/below.img
loop=$(losetup --find --show --direct-io=on /srv/second/below.img)
echo "0 $((64 * 2048)) linear $loop 0" | dmsetup create stuck
dd if=/dev/urandom of=/dev/mapper/stuck bs=64k count=16 oflag=direct status=none
unit stuck-reader db.slice bash -c 'while :; do dd if=/dev/mapper/stuck of=/dev/null bs=4k count=64 iflag=direct status=none; sleep 0.2; done'
open_glass stuck --interval 2
await_glass 'Interval' 120
film stuck &
filming=$!
python3 -m zmon record $out/stuck-days --processes --interval 2 --for 30m 2>$out/stuck-days.log &
recorder=$!
await_changes 3 240 recorded $out/stuck-days
dmsetup suspend --noflush stuck
date +%s.%N >$out/suspended
sleep 8
kept suspended
dmsetup info -c >$out/kept/suspended/dmsetup-info
for screen in DIAGNOSE PRESSURE USTAT BLOCKED; do
    tmux send-keys -t stuck "$screen" Enter
    await_changes 3 120 shown_interval
done
zmon stuck-diagnose.txt diagnose --interval 2
zmon stuck-ustat.txt show USTAT --interval 2 --count 1
zmon stuck-blocked.txt show BLOCKED --interval 2 --count 1
date +%s >$out/before-resumed
dmsetup resume stuck
date +%s.%N >$out/resumed
await_changes 2 120 recorded $out/stuck-days
kill -INT $recorder
wait $recorder
for screen in USTAT BLOCKED; do
    zmon stuck-replayed-$screen.txt show $screen --from $out/stuck-days --at "$(date -d "@$(cat $out/before-resumed)" +%H:%M:%S)"
done
zmon stuck-replayed-diagnose.txt diagnose --from $out/stuck-days --since begin
kill $filming
close_glass
end_load
systemctl stop stuck-reader oltp batch backup box 2>/dev/null
journalctl --no-pager -o short-monotonic 2>/dev/null | tail -200 >$out/journal
say "units are done"
