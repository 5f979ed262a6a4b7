# Runs in the QEMU guest, which has virtio disks and one channel path: load the root volume and let
# zmon look.  testbed/verify.py compares as it does for scenario.sh.
. /job/steps.sh
out=/job/out

for number in 0190 0191 0192; do echo 1 >/sys/bus/ccw/devices/0.0.$number/cmb_enable; done
lscss >$out/lscss
uname -r >$out/kernel
begin_load
root=$(ls -d /sys/bus/ccw/devices/0.0.0190/virtio*/block/*)
load root "/dev/${root##*/}" 40 0 4k --readonly
sleep 4
# all of zmon's modules come from 0190 once, and not while it measures
zmon warm show DEVICE --format json --interval 1 --count 1
zmon warm show ZMON --cache --interval 1 --count 1
zmon warm capture --passes 1 /tmp/warm.tar.gz
zmon version --version
zmon device.json show DEVICE --format json --interval 10 --count 1
zmon ctlunit.json show CTLUNIT --format json --interval 2 --count 1
zmon channel.json show CHANNEL --format json --interval 2 --count 1
zmon lpar.json show LPAR --format json --interval 2 --count 1
zmon device.text show DEVICE --interval 2 --count 1
zmon capture.log capture --interval 5 --passes 2 $out/capture.tar.gz
sed 's/7000/0190/; s/7101/0191/' /job/commands.txt >/job/commands
sit_at_screens /job/commands
end_load
exit 0
