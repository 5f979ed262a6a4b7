# Runs in the Hercules guest: what the recorder and the full screen cost a machine, beside iostat.  All three look
# every two seconds at the same twelve volumes under a steady load, at the same time, so that a busy host slows all.
# Prints the processor time of each over two minutes, and its ratio to iostat's.
. /job/steps.sh
out=/job/out

arrange
measure 7000 7001 7002 7003 7100 7101 7200 7201

say "load"
begin_load
load plain /srv/plain 20 20 4k
load stripe /srv/stripe 15 15 4k
sleep 10

# all of zmon's modules come from 0190 once, and not while it measures
record warm --count 2
export TERM=xterm-256color COLUMNS=132 LINES=43

say "iostat, the recorder, the full screen"
iostat -x 2 >/dev/null &
iostat=$!
python3 -m zmon record $out/days --interval 2 --for 1h 2>$out/record.log &
recorder=$!
(sleep 3600) | script -qfc 'stty rows 43 cols 132; exec python3 -m zmon --interval 2 DEVICE' $out/glass.said >/dev/null &
for second in {1..240}; do # until it has drawn its first samples, however busy the host is
    grep -q 'DEVICE' $out/glass.said 2>/dev/null && break
    sleep 1
done
sleep 45
glass=$(pgrep -f 'python3 -m zmon --interval 2 DEVICE' | while read -r pid; do
    grep -q '^python' /proc/$pid/comm && echo $pid
done)

ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; } # utime and stime, in hundredths

before=("$(ticks $iostat)" "$(ticks $recorder)" "$(ticks $glass)")
begin=$EPOCHREALTIME
sleep 120
after=("$(ticks $iostat)" "$(ticks $recorder)" "$(ticks $glass)")
end=$EPOCHREALTIME
awk -v b="${before[*]}" -v a="${after[*]}" -v s="$begin" -v e="$end" 'BEGIN {
    split(b, from); split(a, to); split("iostat recorder glass", name)
    printf "%.0f s\n", e - s
    for (i = 1; i <= 3; i++)
        printf "%-9s %6.2f s of processor time, %5.2f times iostat\n", name[i], (to[i] - from[i]) / 100, (to[i] - from[i]) / (to[1] - from[1])
}' | tee $out/beside-iostat
kill $(jobs -p)
pkill fio
exit 0
