# Runs in the QEMU guest: a path of a disk with two paths fails and comes back, three times, while zmon records and while the
# full screen shows OVERVIEW, EXCEPT and EVENTS.  testbed/path_fails.py says how soon each of them told it.
#
#   boot.py --machine qemu --systemd --timeout 1800 --bring testbed/steps.sh --bring testbed/two-paths.sh --bring testbed/glass.sh \
#       --bring testbed/path-fails.sh --out OUT -- bash path-fails.sh
. /job/steps.sh
. /job/two-paths.sh
. /job/glass.sh
out=/job/out

# moment NAME: note when something was done
moment() { echo "$1 $EPOCHREALTIME" >>$out/moments; }

# intervals MANY: until the screen and the recorder have ended so many further ones, however long they take
intervals() {
    await_changes "$1" 240 shown_interval
    await_changes "$1" 240 recorded $out/days
}

# path_fails NAME [COMMAND]: a command is for lists that are made when they are asked for
path_fails() {
    moment "failed-$1"
    echo offline >"/sys/block/$path/device/state"
    intervals 1
    [ -z "${2-}" ] || tmux send-keys -t overview "$2" Enter
    intervals 2
    echo running >"/sys/block/$path/device/state"
    multipathd reinstate path "$path" >/dev/null
    moment "reinstated-$1"
    intervals 3
}

say "multipath: a disk over two controllers"
MULTIPATHD_VERBOSITY=-v4 start_multipath
policy multibus
load_disk 4 1800 --rate_iops=60
path=$(ls "/sys/block/$(basename "$(readlink -f $disk)")/slaves" | head -1)
echo "$path" >$out/path
ls "/sys/block/$(basename "$(readlink -f $disk)")/slaves" >$out/paths
dmsetup status >$out/dmsetup-status

say "the full screen, and a recorder"
open_glass overview --interval 2
await_glass 'Interval' 120
film overview &
filming=$!
python3 -m zmon record $out/days --interval 2 --for 20m 2>$out/days.log &
recorder=$!
intervals 3 # on an emulated processor the first ones come late
say "a path fails, seen on OVERVIEW"
path_fails overview
tmux send-keys -t overview EXCEPT Enter
intervals 1
say "again, seen on EXCEPT"
path_fails except
say "again, seen on EVENTS"
path_fails events EVENTS
kill $filming
close_glass
kill -INT $recorder
wait $recorder
kill -INT $fio
wait $fio
zmon except.txt show EXCEPT --from $out/days --since begin
zmon mpath.txt show MPATH --from $out/days --at end
zmon diagnose.txt diagnose --from $out/days --since begin
stop_multipath
say "told"
exit 0
