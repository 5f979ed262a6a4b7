# Runs in the QEMU guest under systemd, whose root has databases: which service on which tablespace loads LCU 7100?  No virtio
# disk has an LCU, so a site file says that 7002 and 7003 are on LCU 7100.  PostgreSQL reads a tablespace on 7002 past the page
# cache, its own files are on 7003; MariaDB writes on 7000.  The question is asked live in two keys from the opening screen
# and by `zmon show`, and again of a recording.
#
#   EXTRA="postgresql mariadb-server python3-psycopg python3-pymysql" build.sh DIRECTORY
#   boot.py --machine qemu --systemd --work DIRECTORY --timeout 2400 --bring testbed/steps.sh --bring testbed/keep.py \
#       --bring testbed/services.sh --bring testbed/glass.sh --bring testbed/who-loads.sh --out OUT -- bash who-loads.sh
. /job/steps.sh
. /job/services.sh
. /job/glass.sh

# ask NAME: keep the opening screen, type two keys, and keep the picture as soon as it has the answer, however slow the processor is
ask() {
    look "$1.0"
    tmux send-keys -t "$glass" Tab Enter
    await_glass 'USERIO .*postgresql-shop .*7002' 240
    look "$1.2"
}
# a busy server may not answer the first time zmon asks which files its tablespaces have; it is asked again
await_listing() {
    local try
    for try in {1..300}; do
        grep -q 'no complete answer' "$1" && ! grep -q 'answers now' "$1" || return 0
        sleep 1
    done
}
query_postgresql() { as_postgres psql -q -v ON_ERROR_STOP=1 "$@"; }

say "disks"
make_fs "$(virtio_disk 7000)" /srv/stock
make_fs "$(virtio_disk 7002)" /srv/shop
make_fs "$(virtio_disk 7003)" /srv/postgresql
write_site

say "PostgreSQL: a tablespace on 7002, the rest on 7003"
start_postgresql /srv/postgresql -c shared_buffers=1MB -c debug_io_direct=data -c max_parallel_workers_per_gather=0
mkdir /srv/shop/space
chown postgres:postgres /srv/shop/space
query_postgresql -c "CREATE DATABASE shop"
query_postgresql shop -c "CREATE TABLESPACE orders LOCATION '/srv/shop/space'"
query_postgresql shop -c CHECKPOINT \
    -c "CREATE TABLE lines TABLESPACE orders AS SELECT n, repeat('x', 400) AS pad FROM generate_series(1, 40000) AS n"
say "MariaDB on 7000"
start_mariadb /srv/stock
load_mariadb 3
# one client that asks again and again: a new one each time would take more of an emulated processor than the query
unit shop-queries system.slice bash -c "echo 'SELECT count(pad) FROM lines \\watch 0.1' | exec /usr/lib/postgresql/*/bin/psql -h /run/postgresql -U postgres -qAt shop"
listings=(--listing 'postgresql://postgres@/shop?host=/run/postgresql' --listing /srv/stock/data)
words=(--site /job/site.toml "${listings[@]}")
zmon warm show USERIO --count 1
kept begin

say "a recorder, and zmon show"
python3 -m zmon record $out/who-days --interval 2 --for 30m "${listings[@]}" 2>$out/who-days.log &
recorder=$!
await_changes 3 240 recorded $out/who-days
await_listing $out/who-days.log
await_changes 3 120 recorded $out/who-days
zmon live.json show USERIO 'lcu=LCU 7100' "${words[@]}" --format json
zmon live.txt show USERIO 'lcu=LCU 7100' "${words[@]}"
zmon live-stock.json show USERIO 'lcu=LCU 7000' "${words[@]}" --format json

say "the full screen, live"
open_glass live --interval 2 "${words[@]}"
await_glass 'LCU +Share.* 7100' 240
await_changes 2 120 shown_interval
ask live
close_glass
kill -INT $recorder
wait $recorder
kept end
say "the same of the recording"
zmon recorded.json show USERIO 'lcu=LCU 7100' --from $out/who-days --site /job/site.toml --format json
zmon recorded-stock.json show USERIO 'lcu=LCU 7000' --from $out/who-days --site /job/site.toml --format json
open_glass replay --from $out/who-days --site /job/site.toml
await_glass 'LCU +Share.* 7100' 240
ask replay
close_glass
say "asked" # testbed/who_loads.py compares
exit 0
