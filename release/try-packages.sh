#!/bin/bash
# Install, use, upgrade and remove what `make dist` built, in a fresh chroot of a Debian release, without a network.
#
#   release/try-packages.sh bookworm          Debian 12, Python 3.11
#   release/try-packages.sh trixie            Debian 13, Python 3.13
#
# Takes root, mmdebstrap and the mirror that this machine uses.  Besides the .deb it tries zmon.pyz as a user without
# rights, and the .rpm with rpm's own tools, into a directory of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
release=$1
chroot=$(mktemp -d)
leave() {
    umount -lR "$chroot" 2>/dev/null || true
    rm -rf --one-file-system "$chroot"
}
trap leave EXIT
inside() { unshare --net chroot "$chroot" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8 "$@"; }
say() { printf '%s: %s\n' "$release" "$*"; }

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | sort -u | head -1)
mmdebstrap --quiet --variant=minbase --include=python3,rpm,bash-completion "$release" "$chroot" ${mirror:+"deb $mirror $release main"}
mount --bind "$chroot" "$chroot" # rpm wants its root to be a mount
mount -t proc proc "$chroot/proc"
mount --rbind /dev "$chroot/dev" && mount --make-rslave "$chroot/dev"
cp dist/zmon* "$chroot/root/"
inside sh -c 'for tool in gcc cc pip3; do ! command -v $tool || exit 1; done'
say "no compiler, no pip, no network: $(inside python3 --version)"

# the package
inside sh -c 'dpkg -i /root/zmon_*_all.deb' >/dev/null
compiled() { # every module is compiled, and there is no more than that, whoever has run zmon
    inside sh -euc 'test "$(find /usr/lib/zmon -name "*.pyc" | wc -l)" -eq "$(find /usr/lib/zmon -name "*.py" | wc -l)"'
}
compiled
say "installed: $(inside zmon --version), $(inside dpkg-query -W -f '${Status}' zmon)"
inside zmon show CTLUNIT --from lab:shark-before | grep 7600 >/dev/null
inside zmon show DEVICE -i 0.2 >/dev/null
say "screens: OVERVIEW says: $(inside zmon show OVERVIEW --from lab:shark-before | grep full)"
printf 'OVERVIEW\nQUIT\n' | inside zmon demo --line --no-tour | grep FCX124\\\|OVERVIEW >/dev/null
inside zmon record -i 1 -n 4 /var/lib/zmon >/dev/null
say "recorded: $(inside zmon info /var/lib/zmon | grep '^ *samples')"
inside sh -euc 'mkdir -p /root/.config/zmon /root/.local/state/zmon
    echo "interval = 5" | tee -a /etc/zmon/zmon.toml >/root/.config/zmon/zmon.toml
    echo DEVICE >/root/.local/state/zmon/history
    sha256sum /var/lib/zmon/*.zmon /root/.config/zmon/zmon.toml /root/.local/state/zmon/history >/root/kept
    sha256sum /etc/zmon/zmon.toml >/root/kept-settings'
inside bash -c 'source /usr/share/bash-completion/bash_completion; source /usr/share/bash-completion/completions/zmon; complete -p zmon' >/dev/null
say "completion: bash has it"

# an upgrade to the same files under a higher version, then removal
inside sh -euc '
    cd /root; dpkg-deb -R zmon_*_all.deb up; sed -i "s/^Version: .*/Version: 9.9/" up/DEBIAN/control
    dpkg-deb -b up zmon-up.deb >/dev/null; dpkg -i zmon-up.deb >/dev/null; zmon --version >/dev/null'
inside sha256sum --check --quiet /root/kept /root/kept-settings
compiled
say "upgraded: $(inside dpkg-query -W -f '${Version}' zmon); recordings and settings have the same bytes"
inside dpkg --remove zmon >/dev/null
inside sha256sum --check --quiet /root/kept /root/kept-settings
inside dpkg --purge zmon >/dev/null
inside sh -euc 'test ! -e /usr/bin/zmon; test ! -e /usr/lib/zmon; sha256sum --check --quiet /root/kept'
say "removed and purged: no program is left; recordings and what is in homes have the same bytes"

# one file, by a user without rights
inside sh -euc 'cp /root/zmon.pyz /tmp/; chmod 755 /tmp/zmon.pyz; useradd -m reader
    su reader -c "/tmp/zmon.pyz show CTLUNIT --from lab:shark-before" | grep 7600 >/dev/null
    su reader -c "HOME=/nonexistent /tmp/zmon.pyz --version" >/dev/null
    /tmp/zmon.pyz install --prefix /opt/zmon >/dev/null; /opt/zmon/bin/zmon --version >/dev/null
    /tmp/zmon.pyz install --prefix /opt/zmon --uninstall; test ! -e /opt/zmon'
say "zmon.pyz: runs, also without a home, installs and removes itself"

# the package for RPM, with rpm's own tools; Debian's rpm has no Python to depend on
inside sh -euc 'rpm -K --nosignature /root/zmon-*.rpm >/dev/null; rpm -i --nodeps /root/zmon-*.rpm
    zmon show CTLUNIT --from lab:shark-before | grep 7600' >/dev/null
compiled
inside rpm -V --nodeps zmon
# what an upgrade leaves of a directory that the newer version does not have; then removal
inside sh -euc 'mkdir -p /usr/lib/zmon/gone/__pycache__; touch /usr/lib/zmon/gone/__pycache__/old.pyc
    rpm -U --replacepkgs --nodeps /root/zmon-*.rpm; zmon --version >/dev/null
    rpm -e zmon; test ! -e /usr/bin/zmon; test ! -e /usr/lib/zmon; sha256sum --check --quiet /root/kept'
say "rpm: installed, verified, upgraded, removed; no program is left; recordings and what is in homes have the same bytes"
