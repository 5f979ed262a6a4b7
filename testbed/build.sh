#!/bin/bash
# Build the emulated machine's kernel, initramfs and root volume, all of them from Debian packages
# for s390x, and the pure-Python packages that requirements.lock pins.
#
#   build.sh [DIRECTORY]      default: $ZMON_TESTBED, or testbed/work
#
# SUITE    the Debian release whose kernel and tools are used; where several are named, the first of which the mirror
#          has all packages (default: trixie stable; mirrors renew the two names at different times)
# PYTHON   an interpreter with pip, which fetches the wheels (default: python3)
# EXTRA    more Debian packages for the guest, such as databases for `units.sh`
# MESSAGES a language that programs of the guest shall know, such as de (default: none)
#
# Does nothing when DIRECTORY was already built from the same inputs.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=${1:-${ZMON_TESTBED:-$here/work}}
work=$(mkdir -p "$work" && cd "$work" && pwd)
read -ra suites <<<"${SUITE:-trixie stable}"
python=${PYTHON:-python3}
lock=$here/../requirements.lock
root=$work/root

# the programs this script and boot.py call, each with the Debian package it comes in
tools="hercules:hercules dasdinit:hercules qemu-system-s390x:qemu-system-misc mmdebstrap:mmdebstrap
       mke2fs:e2fsprogs cpio:cpio depmod:kmod xz:xz-utils qemu-s390x-static:qemu-user-static"

# the guest: a kernel, a shell, Python, the s390 tools, and storage to arrange and to load
packages="linux-image-s390x busybox-static bash coreutils mount util-linux kmod procps tar gzip grep sed
          findutils mawk libc-bin udev python3 python3-psutil python3-pyudev
          s390-tools e2fsprogs fdisk lvm2 dmsetup mdadm fio
          thin-provisioning-tools btrfs-progs xfsprogs multipath-tools kpartx sysstat
          systemd tmux ncurses-base ${MESSAGES:+locales util-linux-locales} ${EXTRA-}"

# zmon's own dependencies as far as they are pure Python; psutil and pyudev come as packages
wheels="textual rich markdown-it-py mdurl pygments platformdirs typing-extensions linkify-it-py
        mdit-py-plugins sqlite-utils sqlite-fts4 click click-default-group pluggy tabulate python-dateutil"

# what the initramfs needs to reach the root volume under either emulator
modules="dasd_fba_mod dasd_eckd_mod virtio_blk ext4 overlay"

inputs() { echo "${suites[@]}" ${EXTRA-} ${MESSAGES-}; cat "$0" "$here"/guest/* "$lock"; }

install_tools() {
    local pair missing=()
    for pair in $tools; do
        PATH=$PATH:/usr/sbin:/sbin command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
    if [ "$(id -u)" -ne 0 ]; then
        echo "build.sh: please install these packages: ${missing[*]}" >&2
        exit 1
    fi
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# the mirror this machine already uses; none found: mmdebstrap's own choice
mirror() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | sort -u | head -1; }

# from the first suite of which the mirror has all; any other failure is not mended by another suite
unpack_packages() {
    local said=$work/mmdebstrap-said status
    for suite in "${suites[@]}"; do
        status=0
        unpack_from "$suite" 2>"$said" || status=$?
        cat "$said" >&2
        [ $status -ne 0 ] || break
        grep -q -e '^E: apt-get update .* failed$' -e '^E: apt download failed' "$said" || exit 1
        echo "build.sh: the mirror has not all of $suite for s390x" >&2
    done
    rm "$said"
    [ $status -eq 0 ] || { echo "build.sh: no whole suite among: ${suites[*]}" >&2; exit 1; }
    rm -rf "$root"/usr/share/{doc,man,info,doc-base,lintian,bug} "$root"/var/cache/apt "$root"/var/lib/apt/lists
    make_locale
    find "$root/usr/share/locale" -mindepth 1 -maxdepth 1 ! -name "${MESSAGES-}" -exec rm -rf {} +
}

# of MESSAGES, here because the emulated processor takes minutes
make_locale() {
    [ -n "${MESSAGES-}" ] || return 0
    local name=${MESSAGES}_${MESSAGES^^}
    mkdir -p "$root/usr/lib/locale"
    I18NPATH=$root/usr/share/i18n qemu-s390x-static -L "$root" "$root/usr/bin/localedef" --no-archive -i "$name" -f UTF-8 "$root/usr/lib/locale/$name.utf8"
}

unpack_from() {
    local from list
    from=$(mirror)
    # shellcheck disable=SC2086
    list=$(echo $packages | tr ' ' ,)
    rm -rf "$root"
    mkdir -p "$root"
    # unpacked only: no maintainer script runs, so nothing here needs an s390x processor
    mmdebstrap --quiet --architectures=s390x --variant=extract --include="$list" "$1" - ${from:+"deb $from $1 main"} |
        tar -x -C "$root" --exclude='./dev/*' --no-same-owner
}

# what maintainer scripts would have done, as far as the guest needs it
settle_root() {
    local directory
    for directory in bin sbin lib; do # before Debian 13 packages bring these as directories of their own
        [ -d "$root/$directory" ] && [ ! -L "$root/$directory" ] || continue
        cp -a "$root/$directory/." "$root/usr/$directory/"
        rm -rf "${root:?}/$directory"
        ln -s "usr/$directory" "$root/$directory"
    done
    mkdir -p "$root"/{proc,sys,dev,run,tmp,mnt,job}
    printf '%s\n' 'root:x:0:0:root:/root:/bin/bash' 'postgres:x:100:100::/tmp:/bin/bash' 'mysql:x:101:101::/tmp:/bin/bash' \
        'nobody:x:65534:65534::/:/bin/false' >"$root/etc/passwd"
    printf '%s\n' 'root:x:0:' 'disk:x:6:' 'tty:x:5:' 'postgres:x:100:' 'mysql:x:101:' 'nogroup:x:65534:' >"$root/etc/group"
    : >"$root/etc/fstab"
    ln -sf /proc/self/mounts "$root/etc/mtab"
    ln -sf mawk "$root/usr/bin/awk"
    [ -e "$root/usr/bin/sh" ] || ln -s bash "$root/usr/bin/sh" # PostgreSQL and MariaDB start programs through it
    rm -f "$root"/usr/lib/udev/rules.d/*-multipath.rules # else udev asks multipath about every DASD
    install -m 755 "$here/guest/run-job" "$root/usr/sbin/run-job"
}

# the named entries of the lock file with their hashes: a block begins at a line that is not indented
pinned() {
    awk -v names="$wheels" '
        BEGIN { n = split(names, a); for (i = 1; i <= n; i++) wanted[a[i]] = 1 }
        /^[a-z0-9]/ { split($0, part, "=="); on = part[1] in wanted }
        on && !/^ *#/' "$lock"
}

install_wheels() {
    local version
    version=$(basename "$(ls -d "$root"/usr/lib/python3.[0-9]*)")
    pinned >"$work/wheels.lock"
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --require-hashes \
        --only-binary=:all: --python-version "${version#python}" --target "$root/opt/python" -r "$work/wheels.lock"
}

# an emulated processor takes minutes to compile what it imports
byte_compile() {
    qemu-s390x-static -L "$root" "$root"/usr/bin/python3 -m compileall -q -s "$root" -p / \
        --invalidation-mode unchecked-hash "$root"/usr/lib/python3* "$root/opt/python"
}

make_initramfs() {
    local version=$1 tree=$work/initramfs module file name
    rm -rf "$tree"
    mkdir -p "$tree"/{bin,dev,proc,sys,modules,lower,upper,root}
    cp "$root/usr/bin/busybox" "$tree/bin/"
    install -m 755 "$here/guest/reach-root" "$tree/init"
    for module in $modules; do
        /sbin/modprobe -d "$root" -S "$version" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
    done | awk '!seen[$0]++' | while read -r file; do
        name=$(basename "${file%.xz}")
        case $file in
            *.xz) xz -dc "$file" ;; # decompressed here, where it is quick
            *) cat "$file" ;;
        esac >"$tree/modules/$name"
        echo "$name" >>"$tree/modules/order"
    done
    (cd "$tree" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) >"$work/initrd"
    rm -rf "$tree"
}

# a flat image, which is an FBA disk to Hercules and a virtio disk to QEMU
make_root_volume() {
    local megabytes
    megabytes=$(($(du -sm "$root" | cut -f1) * 5 / 4 + 64))
    rm -f "$work/root.img"
    /sbin/mke2fs -q -t ext4 -O ^has_journal,^metadata_csum,^64bit -E root_owner=0:0 -d "$root" "$work/root.img" "${megabytes}M"
}

[ -e "$lock" ] || { echo "build.sh: $lock is missing" >&2; exit 1; }
install_tools
built_from=$(inputs | sha256sum | cut -d' ' -f1)
if [ "$(cat "$work/built-from" 2>/dev/null)" = "$built_from" ]; then
    echo "$work is up to date ($(cat "$work/kernel-version"))"
    exit 0
fi
rm -f "$work/built-from"
unpack_packages
settle_root
install_wheels
byte_compile
kernel_version=$(ls "$root/usr/lib/modules" | sort -V | tail -1)
/sbin/depmod -b "$root" "$kernel_version"
cp "$root/boot/vmlinuz-$kernel_version" "$work/kernel"
make_initramfs "$kernel_version"
make_root_volume
echo "$kernel_version" >"$work/kernel-version"
echo "$built_from" >"$work/built-from"
echo "$work is built: Linux $kernel_version from Debian $suite"
