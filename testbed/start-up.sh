# Runs in a guest: how long zmon takes from its start to its first pictures, as a checkout and as the one file zmon.pyz, beside
# an empty Textual app.  What it measures goes to /job/out/start-up.json, a line for each.
#
#   boot.py --machine qemu --timeout 1200 --bring testbed/steps.sh --bring testbed/opened.py --bring testbed/empty_app.py \
#       --bring testbed/start-up.sh --bring dist/zmon.pyz --out OUT -- bash start-up.sh
. /job/steps.sh
out=/job/out

# timed NAME COMMAND...: seconds, and seconds of processor, of a command
timed() {
    local name=$1
    shift
    TIMEFORMAT="{\"program\": \"$name\", \"words\": \"end\", \"after\": %R, \"user\": %U, \"system\": %S}"
    { time "$@" >"$out/$name.said" 2>&1 </dev/null; } 2>>$out/start-up.json
}

# beside a directory `before` with an older zmon that one is measured, too
older=/job/before

# opened NAME COMMAND...: until the full screen shows its heading, its figures and its verdict
opened() {
    local name=$1
    shift
    python3 opened.py "$name" $out/start-up.json --words OVERVIEW --words 'Memory  ' -- "$@"
    tail -2 $out/start-up.json | cut -c1-100 >/dev/console
}

say "the checkout"
python3 -m zmon --version
python3 -m zmon diagnose --interval 1 >/dev/null
for round in 1 2 3; do
    python3 opened.py empty $out/start-up.json --words empty -- python3 empty_app.py >/dev/console
    opened zmon python3 -m zmon
    [ -d $older ] && PYTHONPATH=/opt/python opened before env -C $older python3 -m zmon
    timed textual python3 -c 'import textual.app'
    timed diagnose python3 -m zmon diagnose --interval 1
    timed line python3 -m zmon --line
done

if [ -e /job/zmon.pyz ]; then
    say "one file"
    ls /sys/class/net >$out/links
    command -v cc gcc clang make >$out/compilers
    unset PYTHONPATH PYTHONDONTWRITEBYTECODE
    mkdir -p /opt/stick && cp /job/zmon.pyz /opt/stick/
    timed pyz-first /opt/stick/zmon.pyz --version
    opened pyz-unpacked-just-now /opt/stick/zmon.pyz
    for round in 1 2; do
        opened pyz /opt/stick/zmon.pyz
        timed pyz-show /opt/stick/zmon.pyz show DEVICE --count 1 --interval 1
    done
    timed install /opt/stick/zmon.pyz install --prefix /opt/zmon
    for round in 1 2; do
        timed installed-version /opt/zmon/bin/zmon --version
        opened installed /opt/zmon/bin/zmon
    done
    find /opt/zmon | wc -l >$out/installed-files
    timed removed /opt/stick/zmon.pyz install --prefix /opt/zmon --uninstall
    find /opt/zmon 2>/dev/null | wc -l >$out/left-files
fi
say "started"
exit 0
