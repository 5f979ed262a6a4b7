# Runs in the Hercules guest: four queries on a data base that lies on one control unit, its log
# on the second, nothing on the third; captured from before the queries until they are well under way.
# The result is recordings/hercules-one-hot-lcu.tar.gz.
. /job/db2.sh

lay_out_data_base
measure 7000 7001 7002 7003 7100 7101 7102 7103 7200 7201 7202 7203

say "quiet: the log alone"
seconds=500 load log /db2/log 0 4 4k
prepare_queries
python3 -m zmon capture --passes 12 --interval 10 /job/out/hercules-one-hot-lcu.tar.gz &
capture=$!
sleep 25
say "four queries"
query query1 /db2/data1 32 400
query query2 /db2/data2 32 400
query query3 /db2/data3 32 400
query query4 /db2/data3 32 400
wait $capture
status=$?
pkill fio
say "captured, status $status"
uname -a
lscss
lsdasd
exit $status
