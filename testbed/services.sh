# Sourced in a guest under systemd: services that count their I/O: fio, PostgreSQL, MariaDB.

out=/job/out
echo '127.0.0.1 localhost' >/etc/hosts
maria_socket=/run/mysqld/mysqld.sock

# unit NAME SLICE COMMAND...: a service of systemd that counts its I/O
unit() {
    local name=$1 slice=$2
    shift 2
    systemd-run --quiet --unit="$name" --slice="$slice" -p IOAccounting=yes -p CPUAccounting=yes -p MemoryAccounting=yes \
        --working-directory=/ "$@"
}

# job NAME SLICE DIRECTORY RATE RW [SECONDS]: a service in which fio does so many requests of 4 KiB a second past the page cache;
# it lives longer than fio, so that its counters can be compared with fio's own
job() {
    fio --name="$1" --directory="$3" --rw=read --bs=64k --size=12m --end_fsync=1 --create_only=1 >/dev/null
    unit "$1" "$2" bash -c "fio --name=$1 --directory=$3 --rw=$5 --rate_iops=$4 --bs=4k --size=12m --direct=1 --ioengine=libaio \
        --iodepth=4 --time_based --runtime=${6:-1800} --output-format=json --output=$out/fio-$1.json; sleep 3600"
}

# await_file FILE SECONDS: until something is in it
await_file() {
    local end=$((SECONDS + $2))
    until [ -s "$1" ]; do
        if [ $SECONDS -ge $end ]; then
            echo "nothing in $1" >&2
            return 1
        fi
        sleep 1
    done
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

as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups env PATH="$PATH:$(echo /usr/lib/postgresql/*/bin)" PGHOST=/run/postgresql "$@"; }

# start_postgresql DIRECTORY [OPTION...]: a server whose data lie in a directory
start_postgresql() {
    local where=$1
    shift
    mkdir -p "$where/data" /run/postgresql
    chown -R postgres:postgres "$where" /run/postgresql
    chmod 1777 /tmp /dev/shm
    as_postgres initdb -D "$where/data" --no-sync --no-locale -A trust >$out/initdb.log 2>&1
    unit postgresql-shop system.slice -p User=postgres "$(echo /usr/lib/postgresql/*/bin)/postgres" -D "$where/data" -c listen_addresses= -c unix_socket_directories=/run/postgresql "$@"
    until as_postgres pg_isready -q; do
        sleep 1
        [ $SECONDS -lt 900 ] || return 1
    done
}

# start_mariadb DIRECTORY: a server whose data lie in a directory, with a table that does not fit into its memory
start_mariadb() {
    local options=(--no-defaults --user=root --datadir="$1/data" --innodb-log-file-size=8M)
    mkdir -p "$1/data" /run/mysqld
    mariadb-install-db "${options[@]}" --force --auth-root-authentication-method=normal >$out/install-db.log 2>&1
    unit mariadb-stock system.slice mariadbd "${options[@]}" --socket=$maria_socket --skip-networking --innodb-buffer-pool-size=8M \
        --innodb-flush-method=O_DIRECT --innodb-flush-log-at-trx-commit=1
    until mariadb-admin --no-defaults --socket=$maria_socket ping >/dev/null 2>&1; do
        sleep 1
        [ $SECONDS -lt 1200 ] || return 1
    done
    mariadb --no-defaults --socket=$maria_socket <<'SQL'
CREATE DATABASE stock;
CREATE TABLE stock.parts (id integer AUTO_INCREMENT PRIMARY KEY, pad char(200)) ENGINE=InnoDB;
SQL
}

# load_mariadb RATE: so many rows a second, each in a transaction of its own
load_mariadb() {
    unit mariadb-load system.slice bash -c "while sleep $(awk "BEGIN { print 1 / $1 }"); do
            echo 'INSERT INTO stock.parts (pad) VALUES (uuid());'
        done | mariadb --no-defaults --unbuffered --socket=$maria_socket"
}
