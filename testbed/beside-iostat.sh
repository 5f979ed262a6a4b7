# Runs in the Hercules guest: what the recorder and the full screen cost an idle machine, beside iostat, and beside
# the least that programs in Python do (least.py).  All look every two seconds at the same volumes and at the same
# time, so that a busy host slows all alike.  Prints the processor time of each over two minutes, and its ratio to
# iostat's.
. /job/steps.sh
out=/job/out

say "volumes on line"
online 0.0.7000-0.0.7003,0.0.7100-0.0.7103,0.0.7200-0.0.7203
measure 7000 7001 7002 7003 7100 7101 7102 7103 7200 7201 7202 7203

say "iostat, the recorder, the full screen"
names="iostat least-record record least-screen glass"
iostat -x 2 >/dev/null &
iostat=$!
python3 /job/least.py record $out/least.db &
least=$!
python3 -m zmon record $out/days --interval 2 --for 1h 2>$out/record.log &
recorder=$!
export TERM=xterm-256color
terminal() { # of 132x43, for a command
    python3 -c 'import pty, sys; pty.spawn(["bash", "-c", "stty rows 43 cols 132; exec " + sys.argv[1]])' "$1" </dev/null
}
terminal "python3 /job/least.py screen" >$out/least.said &
drawing=$!
terminal "python3 -m zmon --interval 2 DEVICE" >$out/glass.said &
terminal=$!
for second in {1..300}; do # until it has drawn its first samples, however busy the host is
    grep -q FCX108 $out/glass.said && break
    sleep 1
done
sleep 45
screen=$(pgrep -f '^python3 /job/least.py screen')
glass=$(pgrep -f '^python3 -m zmon --interval 2 DEVICE')

ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; } # utime and stime, in hundredths

all() { local pid; for pid in $iostat $least $recorder $screen $glass; do ticks "$pid"; done; }
before=$(all)
begin=$EPOCHREALTIME
sleep 120
after=$(all)
end=$EPOCHREALTIME
awk -v b="$(echo $before)" -v a="$(echo $after)" -v n="$names" -v s="$begin" -v e="$end" 'BEGIN {
    split(b, from); split(a, to); count = split(n, name)
    printf "%.0f s\n", e - s
    for (i = 1; i <= count; i++)
        printf "%-12s %6.2f s of processor time, %5.2f times iostat\n", name[i], (to[i] - from[i]) / 100, (to[i] - from[i]) / (to[1] - from[1])
}'
kill $iostat $least $recorder $screen $glass
exit 0
