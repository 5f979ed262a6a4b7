# Sourced in the guest: what tools say of one moment, in all their usual forms, beside a capture of the same moment.
# /job/out/STAGE/capture.tar.gz, /job/out/STAGE/texts/FILE, and in /job/out/STAGE/commands the status, file and command
# line of each, separated by tabs.

# name_machine NAME: what hostname and the prompts of archives say
name_machine() {
    hostname "$1"
    echo "$1" >/etc/hostname
    echo "127.0.0.1 localhost $1" >/etc/hosts
}

# speak_german: whether the guest has a locale whose headings and commas are others
speak_german() {
    locale -a | grep -qi '^de_DE' && german=yes || echo "no German locale"
}

# ask COMMAND LINE: what it prints; its complaints beside it, if it has any
ask() {
    local line=$* file status
    file=${line//[^A-Za-z0-9,=+@-]/_} # without a full stop, behind which would be the kind of the file
    file=$told/texts/${file:0:150}
    timeout 30 bash -c "$line" >"$file" 2>"$file.errors" </dev/null
    status=$?
    [ -s "$file.errors" ] || rm "$file.errors"
    printf '%s\t%s\t%s\n' "$status" "$(basename "$file")" "$line" >>"$told/commands"
}

# each FORM...: a command line each for words that stand for %s
each() {
    local form=$1 thing
    shift
    for thing; do ask "${form//%s/$thing}"; done
}

# told STAGE [once]: all of it; with `once` also what does not change from stage to stage
told() {
    local about
    captured "$1"
    for about in channels blocks mounts layers links machine ${2:+volumes} ${2:+${german:+german}}; do
        say "$1: $about"
        "about_$about"
        deliver
    done
}

# captured STAGE: the kernel files
captured() {
    told=/job/out/$1
    mkdir -p "$told/texts"
    udevadm settle --timeout=120
    say "$1: zmon capture"
    zmon "$1/capture.log" capture --passes 1 "$told/capture.tar.gz"
    deliver
}

# deliver: leave what there is so far as the job's result, because an emulator may be ended before all is told
deliver() {
    local result
    result=$(ls -d /sys/bus/ccw/devices/0.0.0192/block/* /sys/bus/ccw/devices/0.0.0192/virtio*/block/* 2>/dev/null)
    tar -cf "/dev/$(basename "$result")" -C /job/out .
    sync
}

about_machine() {
    each '%s' 'uname -a' hostname 'hostname -f' hostnamectl date uptime lscpu 'lscpu -e' 'lscpu -J' 'lscpu -p' lsmem lsmod dmesg 'dmesg -T' \
        'free -k' 'ip -s link' 'ip addr' lspci lsshut lsreipl 'cat /etc/os-release' 'ps -ef' 'vmstat 1 1' 'iostat -x' 'systemd-detect-virt'
    each 'cat %s' /proc/{cpuinfo,sysinfo,cmdline,version,meminfo,diskstats,partitions,swaps,mounts,filesystems,devices,interrupts,stat,uptime,mdstat,crypto} \
        /proc/self/mountinfo /proc/dasd/devices /proc/dasd/statistics /proc/cio_ignore /proc/scsi/scsi /etc/fstab /etc/mtab /etc/multipath.conf
}

about_channels() {
    each 'lsdasd%s' '' ' -a' ' -l' ' -u' ' -c' ' -s' ' -H' ' -b' ' -a -l' ' -a -u' ' -a -b' ' -a -s' ' -c -l' ' 0.0.7000' ' -l 0.0.7000' ' -h'
    each 'lscss%s' '' ' -a' ' -u' ' -a --vpm' ' --vpm' ' -d 0.0.7000' ' -s' ' --io' ' --chsc' ' --avail' ' --avail --vpm' ' -t 3390' ' --eadm'
    each '%s' lschp lszfcp 'lszfcp -H' 'lszfcp -P' 'lszfcp -D' 'lszfcp -V' 'lszfcp -a' 'lszfcp -H -P -D' lsluns 'lsluns -a' 'lsqeth' 'lsqeth -p' \
        lszdev 'lszdev --online' 'lszdev -i dasd' 'lszdev --columns ID,TYPE,ON,PERS,NAMES' lscpumf lszcrypt lstape 'cio_ignore -L' 'cio_ignore -l' \
        'grep -H . /sys/bus/ccw/devices/*/availability' 'ls -l /sys/bus/ccw/devices' 'ls -l /sys/block'
}

about_volumes() {
    local disk
    for disk in $(ls /dev/dasd[a-z] 2>/dev/null); do
        each "%s $disk" 'udevadm info' 'dasdview -i' 'dasdview -x' 'dasdview -l' 'dasdview -i -x -l' 'dasdview -t info' 'dasdview -c' 'dasdview -j' 'fdasd -p' 'fdasd -s -p' 'fdasd -i'
    done
}

about_blocks() {
    each 'lsblk%s' '' ' -a' ' -f' ' -J' ' -P' ' -r' ' -l' ' -p' ' -s' ' -S' ' -t' ' -m' ' -D' ' -O' ' -O -J' ' -O -P' ' -b' ' -b -J' ' -i' ' -n' ' -d' ' -f -J' ' -f -P' ' -a -b -P' \
        ' -o NAME,KNAME,PKNAME,MAJ:MIN,SIZE,TYPE,MOUNTPOINT' ' -o NAME,KNAME,PKNAME,MAJ:MIN,SIZE,TYPE,FSTYPE,MOUNTPOINTS -J' ' -o NAME,KNAME,PKNAME,TYPE -P' \
        ' -o KNAME,TYPE,SIZE' ' -o NAME,SIZE,TYPE,FSTYPE,LABEL,UUID,MOUNTPOINT' ' -o MAJ:MIN,NAME,MOUNTPOINT' ' -o NAME,SERIAL,WWN,VENDOR,MODEL,HCTL,TRAN' \
        ' -s -J' ' -s -l' ' -s -P' ' -l -o NAME,PKNAME,MAJ:MIN,TYPE' ' -r -o NAME,MAJ:MIN,TYPE,MOUNTPOINTS' ' -M' ' -T -J' ' -f -a -l' ' -e 43'
    each '%s' blkid 'blkid -o list' 'blkid -o full' 'blkid -o export' 'blkid -o udev' 'blkid -p /dev/dasd[a-z]* /dev/sd*' 'fdisk -l' 'parted -l -s' 'parted -l -s -m' 'sfdisk -d /dev/dasdb' \
        lsscsi 'lsscsi -g' 'lsscsi -l' 'lsscsi -s' 'lsscsi -t' 'lsscsi -i' 'lsscsi -H' 'losetup -a' 'losetup -l' 'losetup -l -J' losetup 'udevadm info -e' \
        'cat /proc/partitions /proc/swaps'
}

about_mounts() {
    each 'findmnt%s' '' ' -l' ' -r' ' -J' ' -P' ' -D' ' -a' ' -A' ' -R /srv' ' -u' ' --output-all' ' --output-all -J' ' -l -o TARGET,SOURCE,FSTYPE' ' -n -o SOURCE,TARGET' ' -T /srv/data' ' -s' \
        ' -b -o TARGET,SOURCE,MAJ:MIN,SIZE' ' --real' ' -t ext4,btrfs,xfs' ' -ux' ' -m' ' -i -t proc,sysfs,tmpfs' ' -k' ' -f -S LABEL=boot'
    each '%s' mount 'mount -l' 'mount -t ext4' 'mount -v' df 'df -h' 'df -hT' 'df -T' 'df -i' 'df -a' 'df -k' 'df -P' 'df -hP' 'df -hTl' 'df -h /srv/data' 'df --output' \
        'df -h --total' swapon 'swapon -s' 'swapon --show' 'swapon --show=NAME,TYPE,SIZE,USED,PRIO,UUID,LABEL' 'swapon --show --noheadings --bytes' 'swapon --show --raw' 'ls -l /srv' 'stat -f /srv/*'
}

about_layers() {
    local array
    each 'pvs%s' '' ' -a' ' -v' ' -o +pv_uuid' ' -o +dev_size,pe_start' ' --segments' ' --segments -o +lv_name,seg_start_pe,segtype' ' -a -o +pv_used,vg_uuid' ' -o pv_name,vg_name' \
        ' --noheadings' ' --reportformat json' ' --units b' ' -o pv_all' ' -a -v' ' --separator ,' ' -o +devices'
    each 'vgs%s' '' ' -v' ' -o +devices' ' -o +pv_name' ' -o vg_all' ' --reportformat json' ' -P'
    each 'lvs%s' '' ' -a' ' -v' ' -a -o +devices' ' -o +devices' ' -o lv_all' ' -a -o lv_full_name,devices' ' -a -o +seg_pe_ranges' ' --segments' ' -a --segments -o +devices' ' --noheadings -o lv_path,devices' \
        ' -a --reportformat json -o +devices' ' -o +stripes,stripesize' ' -a -o vg_name,lv_name,segtype,seg_start_pe,seg_size_pe,devices,metadata_devices' ' -o lv_name,vg_name,lv_kernel_major,lv_kernel_minor,lv_dm_path' ' -a -P -o +devices' ' --units g' ' -a -o +lv_active,data_percent'
    each '%s' pvdisplay 'pvdisplay -m' 'pvdisplay -C' 'pvdisplay -c' vgdisplay 'vgdisplay -v' 'vgdisplay -c' lvdisplay 'lvdisplay -m' 'lvdisplay -a -m' 'lvdisplay -c' pvscan 'pvscan -v' vgscan lvscan 'lvscan -a' lvmdiskscan 'lvmdevices' \
        'vgcfgbackup -f - ' 'lvmconfig --type diff'
    each 'dmsetup %s' table ls 'ls --tree' 'ls --target crypt' 'ls --tree -o device,ascii' info 'info -c' 'info -c --noheadings' 'info -C -o name,major,minor,uuid' 'ls -o devname' 'ls --tree -o inverted' status deps 'deps -o devname' 'deps -o blkdevname' \
        'table --showkeys' 'ls --target linear' 'info -c -o name,blkdevname,devnos_used,blkdevs_used' 'splitname data-linear' targets 'version'
    each '%s' 'multipath -l' 'multipath -ll' 'multipath -v3 -ll' 'multipath -d -v3' 'multipathd show topology' 'multipathd show paths' 'multipathd show maps' 'multipathd show config' 'multipath -t' \
        'multipathd show multipaths topology' 'multipathd show maps json' 'multipathd show status' 'multipathd -k"show topology"'
    each 'btrfs %s' 'filesystem show' 'fi show -d' 'filesystem show --raw' 'filesystem show -m' 'filesystem usage /srv/btrfs' 'filesystem usage -T /srv/btrfs' 'filesystem df /srv/btrfs' \
        'device stats /srv/btrfs' 'device usage /srv/btrfs' 'subvolume list /srv/btrfs' 'device scan' 'filesystem usage -b /srv/btrfs' 'fi df /srv/home'
    each '%s' 'mdadm --detail --scan' 'mdadm --examine --scan' 'mdadm -Esv' 'mdadm --examine --scan --verbose' 'mdadm -V'
    for array in $(ls /dev/md? 2>/dev/null); do each "mdadm %s $array" --detail --query -D '--detail --export'; done
    each 'mdadm --examine %s' $(ls /dev/dasd*[123] 2>/dev/null)
    each 'cryptsetup %s' 'status luks' 'luksDump $(blkid -t TYPE=crypto_LUKS -o device | head -1)' 'status /dev/mapper/luks'
}

about_links() {
    local directory
    each 'ls %s' '-l /dev/mapper' '-l /dev/disk/by-*' '-lR /dev/disk' '-l /dev/md' '-l /dev/data' '-l /dev' '-la /dev/mapper/' '-l /dev/mapper/* /dev/dm-*' '-l /dev/dasd*'
    for directory in /dev/disk/by-*; do ask "ls -l $directory"; done
    each 'udevadm info %s' $(ls /dev/sd? /dev/dm-* /dev/md? /dev/vd?* /dev/nvme?n? 2>/dev/null)
}

about_german() {
    each 'LC_ALL=de_DE.UTF-8 %s' lsdasd 'lsdasd -l' 'lsdasd -a' lscss lschp lsblk 'lsblk -f' 'lsblk -J' 'lsblk -P' lscpu findmnt 'findmnt -D' mount df 'df -hT' swapon 'swapon -s' 'swapon --show' \
        'losetup -l' 'fdisk -l' 'parted -l -s' pvs vgs 'lvs -a -o +devices' pvdisplay 'vgdisplay -v' 'lvdisplay -m' 'dmsetup info' 'btrfs filesystem show' 'multipath -ll' date 'blkid -o list' 'free -k' lsscsi 'ls -l /dev/mapper' 'mdadm --detail --scan' lsmem 'uname -a'
    each 'LC_ALL=C %s' lsblk 'lsblk -f' findmnt 'lsblk -s' 'dmsetup ls --tree' lscpu
}

# archives STAGE: what a service asks its customers for
archives() {
    local to=/job/out/$1/archives
    mkdir -p "$to"
    if [ -e /job/dbginfo.sh ]; then
        say "$1: dbginfo.sh"
        bash /job/dbginfo.sh -d "$to" >"$to/dbginfo.said" 2>&1 </dev/null
    fi
    if [ -e /job/supportconfig ]; then
        say "$1: supportconfig"
        install -D -m 644 /job/supportconfig.rc /usr/lib/supportconfig/resources/supportconfig.rc
        # all packages are of another distribution, so it is told that those it asks for are there
        printf '%s\n' '#!/bin/sh' '[ "$1" != -q ] || echo "$2-1-1"' >/usr/bin/rpm
        chmod +x /usr/bin/rpm
        ln -sf which.debianutils /usr/bin/which
        TERM=dumb bash /job/supportconfig -Q -c -p -T 30 -R "$to" \
            -i DISK,BTRFS,LVM,MPIO,SRAID,PROC,BOOT,UDEV,ETC,SYSFS,ENV,NVME >"$to/supportconfig.said" 2>&1 </dev/null
    fi
    deliver
    sos_report "$1"
}

# sos_report STAGE: of the plugins that tell of storage and of the machine; an emulated processor takes longer than sos waits
sos_report() {
    local to=/job/out/$1/archives
    mkdir -p "$to"
    say "$1: sos report"
    sos report --batch --tmp-dir "$to" --threads 1 --plugin-timeout 3000 --cmd-timeout 900 \
        -o block,boot,btrfs,cgroups,date,devicemapper,devices,filesys,hardware,host,kernel,logs,lvm2,md,memory,multipath,nvme,process,processor,release,s390,scsi,system,systemd,udev,udisks,xfs \
        >"$to/sos.said" 2>&1 </dev/null
    deliver
}
