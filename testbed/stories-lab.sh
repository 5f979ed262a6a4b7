#!/bin/bash
# The four stories in the laboratory, on this machine; what is measured goes to a directory: stories-lab.sh DIRECTORY
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit

# story NAME SCENARIO WORDS
story() {
    .venv/bin/python testbed/stories.py seconds "$1, simulated" --from "lab:$2" --words "$3" --out "$out/story-lab-$2.json" \
        --load "the scenario $2, whose last interval is looked at"
}

story "one LCU" shark-before "LCU 7600 is full"
story "too few aliases" hyperpav-0 "without aliases"
story "one path of many" fcp-writes-failover "One of 16 FCP paths"
story "logs beside data" logs-mixed "The logs /ora"
