"""Values of options that are none: numbers that are not finite, addresses that are none, files of another kind."""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from folders import RULESETS, TESTS

from rulespec.cli.flags import YEAR, Finite
from rulespec.cli.main import COMMANDS, cli, run
from rulespec.serve.owner import MAX_DEADLINE

pytestmark = pytest.mark.usefixtures("known_rulesets")

TLS = TESTS / "fixtures" / "tls"


def refused(args: list[str], capsys: pytest.CaptureFixture[str], *words: str) -> None:
    """Asserts that a command says what is wrong with what it was given, and does nothing."""
    assert run(args) == 2
    captured = capsys.readouterr()
    assert "RS901" not in captured.err and "Traceback" not in captured.err
    for word in words:
        assert word in captured.err
    assert captured.err.strip() and not captured.out


# --- numbers ------------------------------------------------------------------------------------


def options() -> Iterator[tuple[str, click.Option]]:
    """All options of all commands and their subcommands."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        for each in (command, *getattr(command, "commands", {}).values()):
            yield from ((name, param) for param in each.params if isinstance(param, click.Option))


FRACTIONS = [(name, option) for name, option in options() if isinstance(option.type, type(click.FLOAT))]
WHOLE = [(name, option) for name, option in options() if isinstance(option.type, type(click.INT))]


def test_options_with_fractions_are_finite() -> None:
    assert [(name, option.name) for name, option in FRACTIONS if not isinstance(option.type, Finite)] == []
    assert {name for name, _ in FRACTIONS} == {"coverage", "playtest", "serve"} and len(WHOLE) > 20


@pytest.mark.parametrize(
    "value", ["nan", "-nan", "inf", "-inf", "Infinity", "1e999", "1e300", "", "\udcff", "1_", "0x1"]
)
def test_a_number_that_is_none_is_no_value_of_an_option(value: str) -> None:
    context = click.Context(click.Command("any"))
    for _, option in FRACTIONS + WHOLE:
        with pytest.raises(click.BadParameter):
            option.type.convert(value, option, context)


def test_no_time_is_longer_than_a_year() -> None:
    assert YEAR * 60 == MAX_DEADLINE and math.isfinite(60.0 * YEAR)


@pytest.mark.parametrize(
    "args",
    [
        ["serve", "nim", "--players", "2", "--deadline", "nan"],
        ["serve", "nim", "--players", "2", "--deadline", "inf"],
        ["serve", "nim", "--players", "2", "--deadline", "1e300"],
        ["coverage", "nim", "--fail-under", "nan"],
        ["playtest", "nim", "--set", "a=b", "--minutes", "nan"],
        ["playtest", "nim", "--set", "a=b", "--minutes", "inf"],
    ],
)
def test_a_number_that_is_not_finite_is_refused(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    refused(args, capsys, args[-2])


# --- addresses ----------------------------------------------------------------------------------


@pytest.mark.sampled(16)
@pytest.mark.parametrize(
    "option, value",
    [
        ("--host", ""),
        ("--host", " "),
        ("--host", "\udcff"),
        ("--host", "caf\u00e9"),
        ("--host", "127.0.0.1\n"),
        ("--host", "." * 2),
        ("--host", "a" * 300),
        ("--host", "[::1]"),
        ("--host", "::1::"),
        ("--url", "http://[::1"),
        ("--url", "http://"),
        ("--url", "https://:443"),
        ("--url", "http://x:99999"),
        ("--url", "http://x:y"),
        ("--url", "http://a b"),
        ("--url", "http://a\nb"),
        ("--url", "https://me:secret@play.example.org"),
        ("--url", "https://play.example.org?x"),
        ("--url", "https://play.example.org/#x"),
        ("--url", "//play.example.org"),
        ("--url", "play.example.org"),
        ("--url", "ws://play.example.org"),
        ("--url", "https://\udcff"),
        ("--hook", "http://[::1"),
        ("--hook", "file:///etc/passwd"),
        ("--hook", "data:,x"),
        ("--hook", "https://exa mple.org"),
        ("--hook", "https://example.org/\u00e9"),
        ("--hook", "https://example.org/\udcff"),
        ("--port", "65536"),
        ("--port", "-1"),
        ("--port", "http"),
    ],
)
def test_an_address_that_is_none_is_refused(
    option: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(["serve", "nim", "--players", "2", "--store", str(tmp_path / "t.db"), option, value], capsys, option)


def test_a_name_in_other_letters_is_shown_as_programs_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    refused(["serve", "nim", "--url", "https://spi\u00e9l.example"], capsys, "xn--spil-dpa.example")


# --- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "certificate, key, word",
    [
        (TLS / "key.pem", TLS / "key.pem", "PEM"),
        (TLS / "certificate.pem", TLS / "certificate.pem", "PEM"),
        (TLS / "certificate.pem", TLS / "other.pem", "key values mismatch"),
        (TLS / "certificate.pem", TLS / "locked.pem", "passphrase"),
        (Path(os.devnull), TLS / "key.pem", "RS102"),
        (Path("/dev/zero"), TLS / "key.pem", "RS102"),
        (TLS / "certificate.pem", Path("nothing.pem"), "RS101"),
        (TLS / "certificate.pem", Path("\udcff.pem"), "RS101"),
        (RULESETS / "nim" / "game.yaml", TLS / "key.pem", "PEM"),
    ],
)
def test_a_certificate_that_is_none_is_refused(
    certificate: Path, key: Path, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ["--store", str(tmp_path / "t.db"), "--cert", str(certificate), "--key", str(key)]
    refused(["serve", "nim", "--players", "2", *args], capsys, word)
    assert not (tmp_path / "t.db").exists()


def test_a_pipe_is_no_certificate_and_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    args = ["serve", "nim", "--players", "2", "--cert", str(tmp_path / "pipe"), "--key", str(TLS / "key.pem")]
    refused(args, capsys, "RS102")


@pytest.mark.parametrize(
    "data, code",
    [
        ("link isle caf\u00e9".encode("latin-1"), "RS104"),
        (b"\xff\xfel\x00i\x00", "RS104"),
        (b"link isle\x00marsh", "RS105"),
        (b"link \xe2\x80\xae isle", "RS105"),
        (b"link isle marsh\n" * 200_000, "RS103"),
    ],
)
def test_edits_that_are_no_text_are_refused(
    data: bytes, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edits = tmp_path / "edits.txt"
    edits.write_bytes(data)
    refused(["edit", str(RULESETS / "nim"), "--from", str(edits)], capsys, code)


@pytest.mark.parametrize("name, code", [("/dev/zero", "RS102"), ("pipe", "RS102"), (".", "RS102"), ("no", "RS101")])
def test_edits_are_read_from_a_file_alone(
    name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    refused(["edit", str(RULESETS / "nim"), "--from", name], capsys, code)


@pytest.mark.parametrize("data, code", [(b"caf\xe9", "RS104"), (b"#\n" * 1_500_000, "RS103"), (b"# none\r\n", "edit")])
def test_edits_on_standard_input_are_text_too(
    data: bytes, code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    refused(["edit", str(RULESETS / "nim"), "--from", "-"], capsys, code)
