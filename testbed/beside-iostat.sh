# Runs in the Hercules guest: what the recorder and the full screen cost an idle machine, beside iostat.  All three
# look every two seconds at the same volumes and at the same time, so that a busy host slows all alike.
# Prints the processor time of each over two minutes, and its ratio to iostat's.
. /job/steps.sh
out=/job/out

say "volumes on line"
online 0.0.7000-0.0.7003,0.0.7100-0.0.7103,0.0.7200-0.0.7203
measure 7000 7001 7002 7003 7100 7101 7102 7103 7200 7201 7202 7203

say "iostat, the recorder, the full screen"
iostat -x 2 >/dev/null &
iostat=$!
python3 -m zmon record $out/days --interval 2 --for 1h 2>$out/record.log &
recorder=$!
export TERM=xterm-256color
python3 -c 'import pty; pty.spawn(["bash", "-c", "stty rows 43 cols 132; exec python3 -m zmon --interval 2 DEVICE"])' \
    </dev/null >$out/glass.said &
terminal=$!
for second in {1..300}; do # until it has drawn its first samples, however busy the host is
    grep -q FCX108 $out/glass.said && break
    sleep 1
done
sleep 45
glass=$(pgrep -P $terminal)

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
}'
kill $iostat $recorder $glass
exit 0
