# Runs in the QEMU guest: two of the four stories on virtio disks, with a processor that is quicker than Hercules's.  No virtio
# disk has an LCU, so a site file says that 7000 and 7001 are on LCU 7000, and 7002 and 7003 on LCU 7100; the disks of each
# share a limit, as the volumes of a control unit do.
#
#   boot.py --machine qemu --lcu-rate 120 --timeout 1800 --bring testbed/steps.sh --bring testbed/stories.py \
#       --bring testbed/stories-lcu-kvm.sh --out OUT -- bash stories-lcu-kvm.sh
. /job/steps.sh

# query NAME DIRECTORY REQUESTS: keep so many reads of a page in a disk
query() {
    fio --name="$1" --directory="$2" --rw=randread --bs=4k --size=24m --direct=1 --ioengine=libaio --iodepth="$3" --thread \
        --time_based --runtime=2000 --output-format=json --output="/job/out/fio-$1.json" &
}

say "disks"
for number in 7000 7001 7002 7003; do
    make_fs "$(virtio_disk $number)" /srv/$number
done
for number in 7000:1 7000:2 7001:3 7001:4 7002:5; do # the files are written before anybody looks
    fio --name="query${number#*:}" --directory="/srv/${number%:*}" --rw=read --bs=64k --size=24m --create_only=1 >/dev/null
done
sync
write_site
python3 -m zmon show DEVICE --count 1 >/dev/null # all of zmon's modules come from 0190 once

say "four queries on one control unit"
query query1 /srv/7000 8
query query2 /srv/7000 8
query query3 /srv/7001 8
query query4 /srv/7001 8
story "one LCU, on QEMU" "for LCU 7000 while" \
    "four fio jobs keep 8 reads of 4 KiB each in 7000 and 7001, which do 120 requests a second together; nothing reads from 7002 and 7003" \
    --site /job/site.toml

say "a log beside data"
fio --name=log --directory=/srv/7002 --rw=write --bs=4k --size=16m --fdatasync=1 --direct=1 --ioengine=libaio --iodepth=4 \
    --rate_iops=20 --time_based --runtime=2000 --thread --output-format=json --output=/job/out/fio-log.json &
query query5 /srv/7002 24
printf 'tablespace,path,role\nDATA,/srv/7002/query5.0.0,data\nLOG,/srv/7002/log.0.0,log\n' >/job/logs.csv
story "logs beside data, on QEMU" "The log /srv/7002/log" \
    "fio keeps 24 reads in 7002 and writes a log beside it, 20 times a second, 4 KiB each; the disk does 120 requests a second" \
    --site /job/site.toml --listing /job/logs.csv
say "told"
