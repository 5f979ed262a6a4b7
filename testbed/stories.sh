# Runs in the Hercules guest: three of the four stories that zmon must name, each under its own load, and how soon each
# way of asking names it: /job/out/story-*.json, from which stories.py makes docs/stories.md.
#
#   boot.py --udev --timeout 2400 --bring testbed/steps.sh --bring testbed/db2.sh --bring testbed/stories.py \
#       --bring testbed/stories.sh --out OUT -- bash stories.sh
. /job/db2.sh


seconds=2000
lay_out_data_base
measure 7000 7001 7002 7003 7100 7101 7102 7103 7200 7201 7202 7203
prepare_queries
python3 -m zmon --version # all of zmon's modules come from 0190 once
python3 -m zmon show DEVICE --count 1 >/dev/null

# 32 pages at once are served within 25 ms on a calm host: then too few requests wait to be named
say "four queries on one control unit"
query query1 /db2/data1 64 $seconds 1200ms
query query2 /db2/data2 64 $seconds 1200ms
query query3 /db2/data3 64 $seconds 1200ms
query query4 /db2/data3 64 $seconds 1200ms
story "one LCU, on Hercules" "for LCU 7000" "four fio jobs read at random, each 64 pages of 4 KiB at once, from 7000 to 7003; nothing reads from 7100 and 7200"

say "one volume without aliases"
query query1 /db2/data1 64 $seconds 200ms
story "no aliases, on Hercules" "for volume 7000" "one fio job reads 64 pages at once from 7000, which has no aliases"

say "a log beside data"
fio --name=log --directory=/db2/data1 --rw=write --bs=4k --size=16m --fdatasync=1 --direct=1 --ioengine=libaio --iodepth=4 --rate_iops=40 \
    --time_based --runtime=$seconds --thread --output-format=json --output=/job/out/fio-log.json &
query query1 /db2/data1 24 $seconds 200ms
printf 'tablespace,path,role\nDATA,/db2/data1/query1.0.0,data\nLOG,/db2/data1/log.0.0,log\n' >/job/out/logs.csv
story "logs beside data, on Hercules" "The log /db2/data1/log" "one fio job reads 24 pages at once from 7000, and another writes a log beside it, 40 times a second, 4 KiB each" --listing /job/out/logs.csv
say "told"
