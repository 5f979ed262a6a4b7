from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing.server import ServerError, is_here, is_server, parse_server


def test_an_address_has_its_parts() -> None:
    """User, password, host, port, database and options."""
    server = parse_server("postgresql://me:p%40ss@db.example:5433/My%20Db?sslmode=require")
    assert (server.sort, server.user, server.password) == ("postgresql", "me", "p@ss")
    assert (server.host, server.port, server.database) == ("db.example", 5433, "My Db")
    assert server.options == (("sslmode", "require"),)


@pytest.mark.parametrize(
    "address",
    ["mysql:///d?socket=/run/m.sock", "mariadb://%2Frun%2Fm.sock/d", "mariadb:///d?unix_socket=/run/m.sock"],
)
def test_a_socket_is_named_in_several_ways(address: str) -> None:
    """As an option, or in place of the host."""
    server = parse_server(address)
    assert (server.sort, server.host, server.database, server.local) == ("mariadb", "/run/m.sock", "d", True)


def test_an_address_of_ipv6_has_brackets() -> None:
    """They are not part of the host."""
    assert parse_server("postgres://[::1]:5432/").host == "::1"


def test_a_service_is_one_of_libpq() -> None:
    """It is handed on by its name."""
    server = parse_server("service=prod dbname=x")
    assert (server.sort, server.database, server.options) == ("postgresql", "x", (("service", "prod"),))


@given(st.text(min_size=1), st.sampled_from(["postgresql", "mysql"]))
def test_a_password_is_never_shown(password: str, scheme: str) -> None:
    """Whatever it is, neither the address nor a message that quotes it has it."""
    secret = f"s3cret{password}"
    server = parse_server(f"{scheme}://me:{quote(secret, safe='', errors='replace')}@host/db")
    assert "s3cret" not in str(server)
    assert "s3cret" not in repr(server)
    assert "s3cret" not in server.harmless_message(ValueError(f"cannot use {server.password} here"))


@pytest.mark.parametrize(
    "name", ["password", "Password", "pass", "passwd", "sslpassword", "oauth_client_secret", "pw", "pwd"]
)
def test_an_option_that_may_be_a_password_is_not_shown(name: str) -> None:
    """Whichever way it is spelled, as the driver that refuses it quotes the address."""
    server = parse_server(f"mariadb://me@host/db?user=x&{name}=s3cret&sslmode=s3cret")
    assert "s3cret" not in server.harmless_message(ValueError("cannot use s3cret"))
    assert str(server).count("s3cret") == 1


def test_the_name_of_a_file_of_passwords_is_shown() -> None:
    """It is no password."""
    assert "/home/me/.pgpass" in str(parse_server("postgresql://me@host/db?passfile=/home/me/.pgpass"))


@given(st.text(alphabet="s3cret:@/?#%&= []\n", min_size=1))
def test_an_address_that_is_not_understood_shows_nothing(rest: str) -> None:
    """A password that breaks an address is not in the message about it."""
    address = f"postgresql://me:hidden{rest}hidden@host/db"
    try:
        shown = str(parse_server(address))
    except ServerError as error:
        shown = str(error)
    assert "hidden" not in shown or "hidden" in shown.partition("@")[2] + shown.partition("/")[2]


def test_a_password_among_the_options_is_not_shown() -> None:
    """Options may hold secrets too."""
    assert "x1" not in str(parse_server("postgresql://h/d?password=x1&sslpassword=x1"))


def test_a_password_with_an_at_is_refused_without_it() -> None:
    """What is not encoded would be shown as the host."""
    with pytest.raises(ServerError, match="write %40 for @") as caught:
        parse_server("postgresql://me:one@tw/o@host/db")
    assert "tw" not in str(caught.value)


def test_other_servers_are_told_what_is_known() -> None:
    """A listing in a file is the way for all others."""
    with pytest.raises(ServerError, match=r"oracle:// is no server that zmon can ask.*listing in a file"):
        parse_server("oracle://scott:tiger@host")


@given(st.text())
def test_any_text_is_an_address_or_refused(text: str) -> None:
    """Of any text there is a server, or a ServerError."""
    try:
        parse_server(text)
    except ServerError:
        return
    assert is_server(text)


@pytest.mark.parametrize("words", ["db.ddl", "/a/b:c", "-", "./service=x.csv", "C:/x"])
def test_names_of_files_are_no_servers(words: str) -> None:
    """Only a scheme or a service makes an address."""
    assert not is_server(words)


def test_what_can_be_bound_to_is_here() -> None:
    """The loopback is of this machine; an address for documents is of none."""
    assert is_here("127.0.0.1")
    assert not is_here("192.0.2.1")
    assert not is_here("no address")
