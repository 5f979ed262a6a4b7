# Runs in the QEMU guest: a disk with two paths, of which a failover policy uses one; each path is throttled, so that it is
# what requests wait for.  Then multibus, to see whether what zmon advises helps.
#
#   boot.py --machine qemu --path-rate 60 --timeout 1200 --bring testbed/steps.sh --bring testbed/two-paths.sh \
#       --bring testbed/stories.py --bring testbed/stories-kvm.sh --out OUT -- bash stories-kvm.sh
. /job/steps.sh
. /job/two-paths.sh

start_multipath
policy failover
load_disk 32 1200
sleep 5
python3 stories.py seconds "one path of two, on QEMU" --words "One of 2" --out /job/out/story-one-path.json \
    --load "fio keeps 32 reads in $disk, a disk with two paths in a group each; the storage does 60 requests a second over each path"
pkill fio
wait $fio
mv /job/out/fio-scsi.json /job/out/fio-failover.json
policy multibus
load_disk 32 30
wait $fio
python3 - <<'PYTHON'
import json
texts = {name: open(f"/job/out/fio-{name}.json").read() for name in ("failover", "scsi")}
rates = {name: json.loads(text[text.index("{") :])["jobs"][0]["read"]["iops"] for name, text in texts.items()}
print(f"failover {rates['failover']:.0f} reads a second, multibus {rates['scsi']:.0f}")
PYTHON
stop_multipath
say "told"
