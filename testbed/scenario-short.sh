# Runs in the Hercules guest when there are but minutes: loads at known rates on two volumes and a stripe, one look at
# them, a recorder that ends by itself, and where four files lie.  testbed/verify.py --short compares.
. /job/steps.sh
out=/job/out

arrange
measure 7000 7001 7002 7003 7100 7101 7200 7201
lscss >$out/lscss
lsdasd >$out/lsdasd
lsdasd -u >$out/lsdasd-uid

say "load"
begin_load
load plain /srv/plain 20 20 4k
load stripe /srv/stripe 15 15 4k
load mirror /dev/md0 8 0 64k

say "zmon"
zmon warm show DEVICE --format json --interval 1 --count 1
zmon device.json show DEVICE --format json --interval 10 --count 1
record days --count 10
end_load

say "placement"
words=() paths=()
echo tablespace,path >$out/placed.csv
for name in plain ldl linear stripe; do
    words+=("/srv/$name/file=3") paths+=("/srv/$name/file")
    echo "$name,/srv/$name/file" >>$out/placed.csv
done
python3 byte_by_byte.py write "${words[@]}"
sync
zmon placed.json where --format json "${paths[@]}"
zmon placed.log capture --passes 1 --listing $out/placed.csv $out/placed.tar.gz
python3 byte_by_byte.py compare "${words[@]}" >$out/bytes.json
say "all has been looked at"
exit 0
