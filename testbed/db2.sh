# Sourced in the guest: a data base that lies on one control unit, its log on the second, and queries on it.
. /job/steps.sh

lay_out_data_base() {
    say "volumes on line"
    online "${VOLUMES:-0.0.7000-0.0.7003,0.0.7100-0.0.7103,0.0.7200-0.0.7203}"
    format_cdl 7000 7001 7002 7003 7100 7101 7200
    udevadm settle --timeout=60

    say "a data base on 7000-7003: two file systems and a stripe that stays within the control unit"
    make_fs "$(disk 7000)1" /db2/data1
    make_fs "$(disk 7001)1" /db2/data2
    modprobe dm_mod
    vgcreate -qq db2 "$(disk 7002)1" "$(disk 7003)1"
    lvcreate -qq -y -Wn -i 2 -I 64k -L 512m -n data3 db2
    make_fs /dev/db2/data3 /db2/data3
    make_fs "$(disk 7100)1" /db2/log
    make_fs "$(disk 7101)1" /home
    make_fs "$(disk 7200)1" /archive
}

prepare_queries() {
    local number
    for number in 1:data1 2:data2 3:data3 4:data3; do # the files are written before anybody looks
        fio --name="query${number%:*}" --directory="/db2/${number#*:}" --rw=read --bs=64k --size=32m --create_only=1 >/dev/null
    done
    cat /db2/data*/query* >/dev/null # so that the emulator has uncompressed them
    sync
    for number in 7000 7001 7002 7003; do # longer queues than the driver's own 32
        queue=/sys/block/$(basename "$(disk $number)")/queue
        echo mq-deadline >"$queue/scheduler" && echo 256 >"$queue/nr_requests"
    done
}

# query NAME DIRECTORY PAGES SECONDS [THINK]: as a data base does it, ask for so many scattered pages at
# once, work on them for a while, ask for the next
query() {
    fio --name="$1" --directory="$2" --rw=randread --bs=4k --size=32m --direct=1 --ioengine=libaio \
        --iodepth="$3" --iodepth_batch="$3" --iodepth_batch_complete_min="$3" --thinktime="${5:-600ms}" --thinktime_blocks="$3" \
        --thread --time_based --runtime="$4" --output-format=json --output="/job/out/fio-$1.json" &
}
