"""What is printed in a container, or where other mounts are, is not of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from zmon.collected.transcript import outputs

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

LSBLK: Final = """\
lsblk
NAME     MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS
dasdp     94:60   0   40G  0 disk
`-dasdp1  94:61   0   40G  0 part /
dasdq     94:64   0   40G  0 disk
`-dasdq1  94:65   0   40G  0 part
"""
DF: Final = """\
Filesystem      Size  Used Avail Use% Mounted on
overlay          40G   11G   30G  27% /
/dev/dasdq1      40G  9.0G   31G  23% /var/lib/pgsql
"""
SWAPS: Final = "cat /proc/swaps\nFilename\t\tType\tSize\tUsed\tPriority\n"
HOST: Final = "[core@w2 ~]$ "
INSIDE: Final = {
    "kubectl": f"{HOST}kubectl exec -it pg-0 -- bash\nbash-4.4$ df -h\n{DF}bash-4.4$ exit\nexit\n",
    "podman": f"{HOST}sudo podman exec -ti pg sh\n/ # df -h\n{DF}/ # exit\n",
    "a host as prompt": f"{HOST}docker exec -it pg bash\nroot@3f2a9c1d0b7e:/# df -h\n{DF}",
    "a new container": f"{HOST}docker run -it --rm -v /a:/b fedora\n[root@3f2a9c1d0b7e /]# df\n{DF}",
    "a namespace": f"{HOST}nsenter -t 4711 -m\n[root@w2 /]# df -h\n{DF}[root@w2 /]# exit\n",
    "one command": f"{HOST}crictl exec -it 9b1 df -h\n{DF}",
    "one of a shell": f"{HOST}kubectl -n db exec pg-0 -c main -- df -h\n{DF}",
    "one in a namespace": f"{HOST}sudo nsenter --target 4711 --mount df -h\n{DF}",
    "an unknown command": f"{HOST}docker exec pg showspace\n{DF}",
    "two levels": (
        f"{HOST}oc rsh pg\nsh-4.4$ docker exec -it x sh\n# df\n{DF}# exit\nsh-4.4$ df\n{DF}sh-4.4$ exit\n"
    ),
}


@pytest.mark.parametrize("inside", INSIDE.values(), ids=INSIDE.keys())
def test_mounts_in_a_container_are_not_those_of_the_host(inside: str, where: Ask) -> None:
    """Of a disk they are told as those of another namespace; other outputs there are not read."""
    text = f"{HOST}{LSBLK}{inside}{HOST}{SWAPS}"
    (answer,) = where("/", text)["where"]
    assert {share["disk"] for share in answer["disks"]} >= {"dasdp"}
    assert answer["grade"] == "set"
    said = where("dasdq", text)
    assert all(mount["process"] for mount in said["mounts"])
    assert said["mounts"] or said["not_looked_at"][0].startswith("dasdq1 is named in a.txt:")
    assert "swap" not in " ".join(said["not_looked_at"])  # behind it the host's outputs are read


@pytest.mark.parametrize("back", ["chroot /host", "nsenter -t 1 -m", "nsenter --target 1 --mount --pid bash"])
def test_a_debug_pod_leads_to_its_node(back: str, where: Ask) -> None:
    """Behind chroot or the namespace of the first process outputs are of the node."""
    text = f"$ oc debug node/w2.example.com\nsh-4.4# df\n{DF}sh-4.4# {back}\nsh-5.1# {LSBLK}sh-5.1# {SWAPS}"
    (answer,) = where("/", text)["where"]
    assert {share["disk"] for share in answer["disks"]} >= {"dasdp"}
    assert "swap" not in " ".join(where("dasdq", text)["not_looked_at"])


@pytest.mark.parametrize("inside", ["\nsh-4.4# lsblk\nx\nsh-4.4# chroot /host", " -- lsblk\nx"])
def test_a_debug_pod_is_of_its_node(inside: str) -> None:
    """Not of the host where somebody called it."""
    text = f"[core@jump ~]$ oc debug node/w2.example.com{inside}\n"
    hosts = [cut.host for cut in outputs("a.txt", text.encode(), 7) if "lsblk" in cut.command]
    assert hosts == ["w2"]


@pytest.mark.parametrize(
    "command", ["nsenter -t 4711 -n df", "nsenter -t 1 -m df", "docker ps", "kubectl get pods"]
)
def test_other_commands_around_containers_change_nothing(command: str, where: Ask) -> None:
    """Nor does a namespace of networks, or that of the first process."""
    text = f"{HOST}{command}\nx\n{HOST}{LSBLK}"
    assert [mount["point"] for mount in where("dasdp", text)["mounts"]] == ["/"]


def test_a_path_that_only_a_container_has_is_told_as_there(where: Ask) -> None:
    """The path alone would have it on the host's file system above, where it is another directory, if any."""
    text = f"{HOST}{LSBLK}{HOST}docker exec pg df -h\n{DF}{HOST}{SWAPS}"
    for path in ("/var/lib/pgsql", "/var/lib/pgsql/data/base"):
        (answer,) = where(path, text)["where"]
        assert any("dasdq1" in note and "/var/lib/pgsql" in note for note in answer["notes"])
    (answer,) = where("/var/lib", text)["where"]
    assert not any("dasdq1" in note for note in answer["notes"])
