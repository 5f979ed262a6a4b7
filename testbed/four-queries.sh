# Runs in the Hercules guest: ten minutes of a data base that lies on one control unit, recorded: quiet, four
# queries one after the other, a volume that comes on line meanwhile, quiet again.
# The result is recordings/hercules-four-queries.zmon.
. /job/db2.sh

VOLUMES=0.0.7000-0.0.7003,0.0.7100-0.0.7103,0.0.7200-0.0.7202 lay_out_data_base # 7203 comes later
measure 7000 7001 7002 7003 7100 7101 7102 7103 7200 7201 7202

say "quiet: the log alone"
seconds=900 load log /db2/log 0 4 4k
prepare_queries
record warm --count 3 # all of zmon's modules come from 0190 once
nice -n -15 python3 -m zmon record /job/out/days --interval 2 --for 10m &
recorder=$!
sleep 180
say "four queries"
query query1 /db2/data1 32 270 1200ms
sleep 20
query query2 /db2/data2 32 250 1200ms
sleep 20
query query3 /db2/data3 32 230 1200ms
query query4 /db2/data3 32 230 1200ms
sleep 120
say "7203 comes on line"
online 0.0.7203
wait $recorder
status=$?
pkill fio
say "recorded, status $status"
ls -l /job/out/days
uname -a
lscss
lsdasd
exit $status
