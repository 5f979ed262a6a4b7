# Runs in the Hercules guest: two hot files on one volume.  zmon predicts what moving one of them to another volume
# gives, the file is moved, and both are compared: /job/out/what-if.txt.
. /job/db2.sh

SECONDS_EACH=${SECONDS_EACH:-90}

# hot DIRECTORY1 DIRECTORY2: read both files for a while and record that
hot() {
    seconds=$((SECONDS_EACH + 60))
    query hot1 "$1" 8 $seconds 20ms
    query hot2 "$2" 8 $seconds 20ms
    sleep 20
    nice -n -15 python3 -m zmon record "/job/out/days-$3" --interval 2 --for ${SECONDS_EACH}s --listing /job/out/files.csv
    pkill fio
    wait $(jobs -p)
    for name in hot1 hot2; do mv /job/out/fio-$name.json "/job/out/fio-$name-$3.json"; done
}

lay_out_data_base
measure 7000 7001 7002 7003 7100 7101 7102 7103 7200 7201 7202 7203
for number in 1 2; do
    fio --name="hot$number" --directory=/db2/data1 --rw=read --bs=64k --size=32m --create_only=1 >/dev/null
done
printf 'tablespace,path\nHOT1,/db2/data1/hot1.0.0\nHOT2,/db2/data1/hot2.0.0\n' >/job/out/files.csv
cat /db2/data1/hot* >/dev/null # so that the emulator has uncompressed them
sync
record warm --count 3 # all of zmon's modules come from 0190 once: else the recording has what that costs

say "two hot files on 7000"
hot /db2/data1 /db2/data1 before
change="move HOT2 to volume 7001"
zmon predicted.txt whatif --from /job/out/days-before --since -80s --listing /job/out/files.csv "$change"
zmon predicted.json whatif --from /job/out/days-before --since -80s --listing /job/out/files.csv --format json "$change"

say "one of them moved to 7001"
cp /db2/data1/hot2.0.0 /db2/data2/ && rm /db2/data1/hot2.0.0
cat /db2/data2/hot2.0.0 >/dev/null
sync
hot /db2/data1 /db2/data2 after

python3 - <<'EOF' | tee /job/out/what-if.txt
import json

where = "/job/out"


def fio(when):
    """Return the requests per second and the mean response in ms that fio counted."""
    texts = [open(f"{where}/fio-{name}-{when}.json").read() for name in ("hot1", "hot2")]
    jobs = [json.loads(text[text.index("{") :])["jobs"][0]["read"] for text in texts]  # fio may say that it was ended
    rate = sum(job["iops"] for job in jobs)
    return rate, sum(job["iops"] * job["lat_ns"]["mean"] for job in jobs) / rate / 1e6


predicted = json.load(open(f"{where}/predicted.json"))
everything = predicted["rows"][-1]
before, after = fio("before"), fio("after")
rate, response = everything["io_then"] / everything["io_now"], everything["resp_then"] / everything["resp_now"]
print(f"zmon, before: {everything['io_now']:.1f} I/O/s of {everything['resp_now']:.1f} ms")
print(f"fio, before:  {before[0]:.1f} I/O/s of {before[1]:.1f} ms; after: {after[0]:.1f} I/O/s of {after[1]:.1f} ms")
print(f"throughput: {rate:.2f} times predicted, {after[0] / before[0]:.2f} times measured")
print(f"response:   {response:.2f} times predicted, {after[1] / before[1]:.2f} times measured")
print(f"limit: {predicted['limit_then']}, confidence: {predicted['confidence']}")
EOF
say "compared"
