"""`rulespec format`: a uniform layout, with nothing else changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import invoke
from folders import ROOT
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from proofs import examples

from rulespec.cli.main import run
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.ruleset_files import MAX_RULES_BYTES
from rulespec.syntax import format as formatter
from rulespec.syntax.format import format_rules

FILES = sorted([*(ROOT / "games").rglob("*.rules"), *(ROOT / "tests" / "rulesets").rglob("*.rules")])
SHORT = [f for f in FILES if f.stat().st_size < 6_000]

LOOSE = """\
#  Heading

procedure  play( ):
  "What it does."
  let a=- 1+(2*3)%count( x in town where x.size>=2 )
  if a<3 and not(a==0):
      set t.size   to   a ?? b
      # in the inner block
  # in the outer block
  match e:
    case a,b: pass
def f(n:int - 1 .. 6,p:player ?)->set town:
   {x in n.towns|{ }
       where x.at [ p ]>0
   }



# about g
def g( )->int: 0   # the end


"""

TIGHT = """\
#  Heading

procedure play():
    "What it does."
    let a = -1 + (2 * 3) % count(x in town where x.size >= 2)
    if a < 3 and not (a == 0):
        set t.size to a ?? b
        # in the inner block
    # in the outer block
    match e:
        case a, b: pass

def f(n: int -1..6, p: player?) -> set town:
    {x in n.towns | {}
        where x.at[p] > 0
    }

# about g
def g() -> int: 0   # the end
"""


def option(*requires: str) -> str:
    body = "".join(f"            require {r}\n" for r in requires)
    return f"procedure play():\n    decide a by p:\n        option b:\n{body}            pass\n"


def flat(text: str) -> str:
    """A text without alignment: one blank before each reason and comment."""
    return re.sub(r'(?<=\S) +(?=["#])', " ", text)


# --- the layout -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
@pytest.mark.sampled(17)
def test_what_is_shipped_stays_as_it_is(path: Path) -> None:
    text = path.read_text("utf-8")
    assert format_rules(text, path.name) == text


def test_blanks_blank_lines_and_blocks_are_set() -> None:
    assert format_rules(LOOSE, "play.rules") == TIGHT
    assert format_rules(TIGHT, "play.rules") == TIGHT


def test_an_empty_file_stays_empty() -> None:
    assert format_rules("", "play.rules") == ""
    assert format_rules("\n  \n", "play.rules") == ""
    assert format_rules("  # only this\n\n\n", "play.rules") == "# only this\n"


def test_lines_that_take_rules_out_may_stand_together() -> None:
    text = "remove def a\nremove def b\n\nremove procedure c\n"
    assert format_rules(text, "v.rules") == text


def test_reasons_are_set_in_a_column_four_blanks_behind_the_longest_condition() -> None:
    loose = option('a > 0 "why"', 'a.long.condition > 0 "why"')
    tight = option('a > 0                   "why"', 'a.long.condition > 0    "why"')
    assert format_rules(loose, "play.rules") == tight
    assert format_rules(tight, "play.rules") == tight


def test_a_column_of_reasons_that_is_there_stays() -> None:
    text = option('a > 0                         "why"', 'a.long.condition > 0          "why"')
    assert format_rules(text, "play.rules") == text


def test_a_very_long_condition_does_not_push_the_other_reasons_away() -> None:
    long = " and ".join(["a > 0"] * 8)
    loose = option('a > 0 "why"', 'a > 1 and b "why"', f'{long}    "why"')
    tight = option('a > 0          "why"', 'a > 1 and b    "why"', f'{long} "why"')
    assert format_rules(loose, "play.rules") == tight


def test_a_comment_among_brackets_stays_where_it_is() -> None:
    loose = "def f() -> int:\n  min(\n # first\n      1, # one\n  2\n         # last\n  )\n"
    tight = "def f() -> int:\n    min(\n        # first\n        1,  # one\n        2\n        # last\n    )\n"
    assert format_rules(loose, "play.rules") == tight
    assert format_rules(tight, "play.rules") == tight


# --- mangled and put right --------------------------------------------------------------------------------------------

TOKEN = re.compile(r'"[^"]*"|#.*|->|\.\.|\?\?|\?\.|[=!<>]=|\w+|\S')


@st.composite
def mangled(draw: st.DrawFn) -> tuple[Path, str]:
    """A shipped file with other blanks, other indentation and more blank lines."""
    path = draw(st.sampled_from(SHORT))
    random = draw(st.randoms(use_true_random=False))
    width = draw(st.integers(1, 7))
    lines = []
    for line in path.read_text("utf-8").split("\n"):
        level = (len(line) - len(line.lstrip(" "))) // 4
        words = TOKEN.findall(line)
        text = " " * (width * level)
        for before, word in zip(["", *words], words, strict=False):
            apart = bool(before) and bool(re.match(r"\w", word)) and bool(re.search(r"\w$", before))
            text += " " * (random.randint(apart, 4) if before else 0) + word
        lines += [text + " " * random.randint(0, 3)] + [""] * (random.randint(0, 2) if not words else 0)
    return path, "\n".join(lines)


@settings(
    max_examples=examples(8, 20), deadline=None, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow]
)
@given(mangled())
def test_a_mangled_file_gets_its_layout_back(case: tuple[Path, str]) -> None:
    path, text = case
    single = format_rules(text, path.name)
    assert flat(single) == flat(path.read_text("utf-8"))
    assert format_rules(single, path.name) == single


def test_a_result_that_would_say_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatter, "_blank", lambda tokens, position: False)
    with pytest.raises(DiagnosticsError) as raised:
        format_rules("def f(b: town) -> int:\n    1 if b.x else 2\n", "play.rules")
    assert raised.value.diagnostics[0].code in {"RS131", "RS136"}


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize("text", ["#\n" * 50_000, "remove def a\n" * 3_000, "def f() -> int: 1\n\n" * 2000])
def test_a_large_file_is_formatted_in_time(text: str) -> None:
    assert format_rules(text, "play.rules").rstrip("\n") == text.rstrip("\n")


def test_a_file_that_nests_too_deep_is_refused() -> None:
    with pytest.raises(DiagnosticsError) as raised:
        format_rules("(" * 90_000, "play.rules")
    assert [d.code for d in raised.value.diagnostics] == ["RS135"]


# --- the command ------------------------------------------------------------------------------------------------------


def test_files_are_written_and_only_when_they_change(tmp_path: Path) -> None:
    path = tmp_path / "play.rules"
    path.write_text(LOOSE, "utf-8")
    path.chmod(0o640)
    assert invoke("format", path)[0] == 0
    assert path.read_text("utf-8") == TIGHT
    assert path.stat().st_mode & 0o777 == 0o640
    before = path.stat().st_mtime_ns
    assert invoke("format", path) == (0, "", "1 file, 0 changed\n")
    assert path.stat().st_mtime_ns == before
    assert [p.name for p in tmp_path.iterdir()] == ["play.rules"]


def test_check_and_diff_write_nothing(tmp_path: Path) -> None:
    path = tmp_path / "play.rules"
    path.write_text(LOOSE, "utf-8")
    assert invoke("format", "--check", path)[0] == 1
    code, out, _ = invoke("format", "--diff", path)
    assert code == 0 and "+procedure play():\n" in out
    assert path.read_text("utf-8") == LOOSE
    path.write_text(TIGHT, "utf-8")
    assert invoke("format", "--check", "--diff", path)[:2] == (0, "")


@pytest.mark.proof  # 0.4 s
def test_a_ruleset_is_formatted_with_its_overlays() -> None:
    code, _, messages = invoke("format", ROOT / "games" / "imperial", "--check")
    rules = [*(ROOT / "games" / "imperial").glob("rules/*.rules")]
    rules += (ROOT / "games" / "imperial").glob("variants/*.rules")
    assert (code, messages) == (0, f"{len(rules)} files, 0 would change\n")


def test_what_comes_in_is_printed() -> None:
    assert invoke("format", "-", stdin=LOOSE) == (0, TIGHT, "")
    code, out, messages = invoke("format", "-", stdin="def f(\n")
    assert (code, out) == (1, "") and "RS131" in messages


def test_a_file_that_is_not_valid_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "play.rules"
    path.write_text("def  f( )\n", "utf-8")
    code, _, messages = invoke("format", path)
    assert code == 1 and "RS131" in messages and "play.rules:1:10" in messages
    assert path.read_text("utf-8") == "def  f( )\n"


@pytest.mark.proof
def test_a_file_that_would_grow_too_large_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "play.rules"
    line = "def sum_{}(x: int) -> int: " + "+".join("x" * 60) + "\n"
    text = "".join(line.format(i) for i in range(300))
    assert len(text) < MAX_RULES_BYTES < len(format_rules(text, path.name))
    path.write_text(text, "utf-8")
    code, _, messages = invoke("format", path)
    assert code == 1 and "RS103" in messages
    assert path.read_text("utf-8") == text


def test_what_cannot_be_formatted_is_wrong_usage(tmp_path: Path) -> None:
    assert invoke("format", tmp_path / "nothing.rules")[0] == 2
    assert run(["format", "no_such_ruleset"]) == 2
    assert invoke("format", ROOT / "README.md")[0] == 2
    assert invoke("format", "-", "imperial")[0] == 2
    large = tmp_path / "large.rules"
    large.write_text("#" * (MAX_RULES_BYTES + 1), "utf-8")
    assert invoke("format", large)[0] == 2
    assert invoke("format", "-", stdin="#" * (MAX_RULES_BYTES + 1))[0] == 2
