# Runs in the Hercules guest: arrange storage on twelve volumes of three control units, load some of
# it at known rates, and let zmon look while the kernel's own counters are noted beside it.
# testbed/verify.py compares the two.
. /job/steps.sh
out=/job/out

arrange
measure 7000 7001 7002 7003 7100 7101 7200 7201 # not 7102, 7103, 7202: as on a machine where nobody asked

say "the guest's own tools"
lscss >$out/lscss
lsdasd -l >$out/lsdasd-long
lsdasd >$out/lsdasd
lsdasd -u >$out/lsdasd-uid
lsblk -J -o NAME,KNAME,TYPE,MOUNTPOINTS >$out/lsblk.json
uname -r >$out/kernel
ls /sys/hypervisor/s390/systems >$out/lpars

say "load"
begin_load
load plain /srv/plain 20 20 4k
load stripe /srv/stripe 15 15 4k
load linear /srv/linear 10 0 4k
load ldl /srv/ldl 5 5 4k
load mirror /dev/md0 8 0 64k
sleep 10 # until the files are laid out and the rates are steady

say "zmon"
# all of zmon's modules come from 0190 once, and not while it measures
zmon warm show DEVICE --format json --interval 1 --count 1
zmon warm show ZMON --cache --interval 1 --count 1
zmon warm capture --passes 1 /tmp/warm.tar.gz
zmon version --version
zmon device.json show DEVICE --format json --interval 10 --count 1
zmon ctlunit.json show CTLUNIT --format json --interval 10 --count 1
zmon channel.json show CHANNEL --format json --interval 2 --count 1
zmon cachext.json show CACHEXT --cache --format json --interval 5 --count 1
zmon lpar.json show LPAR --format json --interval 12 --count 1
zmon device.text show DEVICE --interval 2 --count 1
zmon capture.log capture --interval 5 --passes 2 $out/capture.tar.gz

say "a recorder, until it has enough; another one that is killed"
record days --count 20
record killed &
for second in {1..180}; do # until it has two samples, however busy the host is, and a few more
    grep -q 'a day' $out/killed.log && break
    sleep 1
done
sleep 10
echo $EPOCHREALTIME >$out/killed.at
kill -9 $(pgrep -f 'zmon record /job/out/killed')
wait $!

say "live screens, and a recording of the same samples"
sit_at_screens /job/commands.txt

say "a recording made here, and one that was brought"
replay own $out/days /job/commands.txt
replay brought /job/brought.zmon /job/commands.txt

say "zmon has looked"
end_load
exit 0
