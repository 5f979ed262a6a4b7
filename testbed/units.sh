# Runs in the QEMU guest under systemd (boot.py --machine qemu --systemd): services and a container do I/O to disks of
# their own, beside them a task that waits for a suspended device; zmon records, and the kernel's files are kept.
# With EXTRA="postgresql mariadb-server systemd-container" in build.sh there are two databases and a container, too.
. /job/steps.sh
out=/job/out

virtio_disk() { echo "/dev/$(ls /sys/bus/ccw/devices/0.0.$1/virtio*/block)"; }

# unit NAME SLICE COMMAND...: a service of systemd that counts its I/O
unit() {
    local name=$1 slice=$2
    shift 2
    systemd-run --quiet --unit="$name" --slice="$slice" -p IOAccounting=yes -p CPUAccounting=yes -p MemoryAccounting=yes \
        --working-directory=/ "$@"
}

# job NAME SLICE DIRECTORY RATE RW: a service in which fio does so many requests of 4 KiB a second past the page cache; it
# lives longer than fio, so that its counters can be compared with fio's own
job() {
    unit "$1" "$2" bash -c "fio --name=$1 --directory=$3 --rw=$5 --rate_iops=$4 --bs=4k --size=32m --direct=1 --ioengine=libaio \
        --iodepth=4 --time_based --runtime=1800 --output-format=json --output=$out/fio-$1.json; sleep 3600"
}

# kept NAME: what the kernel says of units, tasks and disks now
kept() {
    local to=$out/kept/$1
    mkdir -p "$to"
    cat /proc/diskstats >"$to/diskstats"
    python3 keep.py "$to" $(find /sys/fs/cgroup -type f \( -name 'io.*' -o -name 'cpu.*' -o -name 'memory.*' -o -name 'pids.*' \
        -o -name 'cgroup.*' \) ! -name cgroup.kill ! -name memory.reclaim)
    cat /proc/diskstats >"$to/diskstats-after"
    python3 keep.py "$to" $(ls -d /proc/[0-9]*/{stat,status,io,schedstat,wchan,cgroup,comm,cmdline,stack,syscall}) \
        /proc/{stat,vmstat,meminfo,loadavg,mountinfo,swaps,partitions} /proc/pressure
}

in_guest() { [ -e "/usr/$1" ] || compgen -G "/usr/$1" >/dev/null; }

start_postgresql() {
    local bin
    bin=$(echo /usr/lib/postgresql/*/bin)
    make_fs "$1" /srv/postgresql
    mkdir -p /srv/postgresql/data /run/postgresql
    chown -R postgres:postgres /srv/postgresql /run/postgresql
    chmod 1777 /tmp /dev/shm
    setpriv --reuid postgres --regid postgres --clear-groups "$bin/initdb" -D /srv/postgresql/data --no-sync -A trust >$out/initdb.log 2>&1
    unit postgresql system.slice -p User=postgres "$bin/postgres" -D /srv/postgresql/data -c shared_buffers=8MB -c fsync=on
    until setpriv --reuid postgres --regid postgres --clear-groups "$bin/pg_isready" -q; do sleep 1; [ $SECONDS -gt 600 ] && return; done
    setpriv --reuid postgres --regid postgres --clear-groups "$bin/pgbench" -q -i -s 3 postgres >>$out/initdb.log 2>&1
    unit pgbench system.slice -p User=postgres "$bin/pgbench" -c 2 -T 900 -n postgres
}

start_mariadb() {
    make_fs "$1" /srv/mariadb
    mkdir -p /srv/mariadb/data /run/mysqld
    mariadb-install-db --no-defaults --user=root --datadir=/srv/mariadb/data --auth-root-authentication-method=normal >$out/install-db.log 2>&1
    unit mariadb system.slice mariadbd --no-defaults --user=root --datadir=/srv/mariadb/data --socket=/run/mysqld/mysqld.sock \
        --skip-networking --innodb-buffer-pool-size=8M
    until mariadb-admin --no-defaults --socket=/run/mysqld/mysqld.sock ping >/dev/null 2>&1; do sleep 1; [ $SECONDS -gt 900 ] && return; done
    mariadb --no-defaults --socket=/run/mysqld/mysqld.sock -e 'create database t; create table t.t (a int auto_increment primary key, b char(200))'
    unit mariadb-load system.slice bash -c "while :; do echo 'insert into t.t (b) values (uuid());'; done |
        mariadb --no-defaults --socket=/run/mysqld/mysqld.sock"
}

say "disks"
make_fs "$(virtio_disk 7000)" /srv/first
make_fs "$(virtio_disk 7001)" /srv/second
SECONDS=0
in_guest 'lib/postgresql/*/bin/postgres' && start_postgresql "$(virtio_disk 7002)"
say "PostgreSQL, as far as it is there, after $SECONDS s"
in_guest sbin/mariadbd && start_mariadb "$(virtio_disk 7003)"
say "MariaDB, as far as it is there, after $SECONDS s"

say "units"
begin_load
job oltp db.slice /srv/first 40 randread
job batch db.slice /srv/first 15 randwrite
mkdir -p /srv/second/backup
job backup backup.slice /srv/second/backup 10 write
if in_guest bin/systemd-nspawn; then
    mkdir -p /srv/second/box
    unit box machine.slice bash -c "systemd-nspawn --quiet --register=no --keep-unit --settings=no -D / --volatile=yes \
        --bind=/srv/second/box --bind=$out fio --name=box --directory=/srv/second/box --rw=randread --rate_iops=12 --bs=4k \
        --size=16m --direct=1 --ioengine=libaio --iodepth=2 --time_based --runtime=1800 --output-format=json \
        --output=$out/fio-box.json; sleep 3600"
fi
sleep 15
systemctl list-units --no-pager --type=service,slice,scope >$out/list-units
systemd-cgls --no-pager >$out/cgls
kept begin
record days --for 40s
kept end
zmon capture.log capture --interval 5 --passes 2 $out/units.tar.gz

say "tasks that wait for a suspended device"
modprobe -a loop dm_mod
truncate -s 64M /srv/second/below.img
loop=$(losetup --find --show --direct-io=on /srv/second/below.img)
echo "0 $((64 * 2048)) linear $loop 0" | dmsetup create stuck
dd if=/dev/urandom of=/dev/mapper/stuck bs=64k count=16 oflag=direct status=none
unit stuck-reader db.slice bash -c 'while :; do dd if=/dev/mapper/stuck of=/dev/null bs=4k count=64 iflag=direct status=none; sleep 0.2; done'
sleep 3
python3 -m zmon record $out/stuck-days --interval 2 --for 30s 2>$out/stuck-days.log &
recorder=$!
sleep 12
dmsetup suspend --noflush stuck
date +%s.%N >$out/suspended
sleep 5
kept suspended
dmsetup info -c >$out/kept/suspended/dmsetup-info
sleep 5
dmsetup resume stuck
date +%s.%N >$out/resumed
wait $recorder
say "fio ends, its units stay"
pkill -INT -x fio
sleep 8
kept ended
end_load
systemctl stop stuck-reader oltp batch backup box pgbench mariadb-load 2>/dev/null
journalctl --no-pager -o short-monotonic 2>/dev/null | tail -200 >$out/journal
say "units are done"
