"""`rulespec edit FOLDER` as a process: the link that it prints, who can use it, how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner
from folders import ROOT
from processes import HEEDS_CTRL_C
from servers import WAIT, opened

from editors import EditPage, copied
from rulespec.cli.main import cli


def test_the_link_opens_the_page_and_an_interrupt_ends_it(tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake")
    process = subprocess.Popen(
        [sys.executable, "-m", "rulespec", "edit", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
        preexec_fn=HEEDS_CTRL_C,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    link = re.match(r"http://(127\.0\.0\.1:\d+)/#([\w-]{22}) edits ", line)
    assert link is not None, line
    page = EditPage(opened(f"ws://{link[1]}/socket"), link[2])
    page.until("picture")
    assert "done" in page.edit("set isle terrain sea")
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the process that draws gets it, too
    rest, wrong = process.communicate(timeout=WAIT)
    assert (process.returncode, rest, wrong) == (0, "", ""), "no request is logged"
    assert "isle: {terrain: sea" in (folder / "map.yaml").read_text("utf-8")


def test_a_folder_without_a_ruleset_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    done = CliRunner().invoke(cli, ["edit", str(tmp_path)])
    assert done.exit_code == 1 and "has no game.yaml, but it has other files" in done.output
