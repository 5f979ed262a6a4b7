#!/bin/bash
# The four stories in the laboratory, and two in recordings of emulated machines, on this machine; what is measured goes to a
# directory: stories-lab.sh DIRECTORY
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit

# story NAME SCENARIO WORDS
story() {
    .venv/bin/python testbed/stories.py seconds "$1, simulated" --from "lab:$2" --words "$3" --out "$out/story-lab-$2.json" \
        --load "the scenario $2, whose last interval is looked at"
}

# recorded NAME RECORDING TIME WORDS
recorded() {
    .venv/bin/python testbed/stories.py seconds "$1, in a recording" --from "recordings/$2.zmon" --options="--at $3" --words "$4" \
        --out "$out/story-recorded-$2.json" --load "the recording $2.zmon, opened on the host at $3"
}

recorded "one LCU" hercules-four-queries 15:15:40 "for LCU 7000 while"
recorded "one path of two" qemu-one-path-of-two 04:18:16 "One of 2"
story "one LCU" shark-before "LCU 7600 is full"
story "too few aliases" hyperpav-0 "without aliases"
story "one path of many" fcp-writes-failover "One of 16 FCP paths"
story "logs beside data" logs-mixed "The logs /ora"
