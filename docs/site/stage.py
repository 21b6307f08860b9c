"""Sources of the site: the pages of `docs/`, and whatever they link to, with links that lead to one another.

    python docs/site/stage.py build/site-source

The README is the start page. A page outside `docs/` that a link leads to becomes a page under `project/`, so does a
source file, as one block of code. The sections of `docs/README.md` are the navigation. This module writes the rest: the
reference of the Python names, which Sphinx fills from docstrings.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import verdicts

ROOT = Path(__file__).resolve().parents[2]
MAP = "docs/README.md"
START = "README.md"
API = "reference/api.md"
VERDICTS = "docs/explanation/verdicts.json"
FILES = "project/files.md"
PICTURES = (".png", ".svg")

_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(_FENCE.pattern + r"|(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()(?P<target>[^)\s]+)(?=\))")
_LEXERS = {"rules": "rules", "yaml": "yaml", "json": "json", "jsonl": "json", "js": "js", "py": "python"}


class StageError(Exception):
    """A link that leads nowhere."""


def place(source: str) -> str:
    """The page of the site for a file of the repository."""
    path = PurePosixPath(source)
    if source == START:
        return "index.md"
    if source == MAP:
        return "documentation.md"
    path = path.relative_to("docs") if path.parts[0] == "docs" else "project" / PurePosixPath(source.removeprefix("."))
    if path.suffix in PICTURES:
        return str(path)
    if path.name == "README.md" and path.parts[0] != "project":
        return str(path.with_name("index.md"))
    return str(path) if path.suffix == ".md" else f"{path}.md"


def targets(source: str, text: str) -> list[str]:
    """The files of the repository that a page links to."""
    links = (match["target"] for match in _LINK.finditer(_CODE.sub("", text)))
    inside = (link.partition("#")[0] for link in links if not re.match(r"[a-z]+:", link))
    return [resolved(source, path) for path in inside if path]


def resolved(source: str, path: str) -> str:
    """The file that a relative link of a page means."""
    result = os.path.normpath(PurePosixPath(source).parent / path)
    if not (ROOT / result).is_file():
        raise StageError(f"{source}: {path} is no file")
    return PurePosixPath(result).as_posix()


def with_links(source: str, text: str) -> str:
    """The text of a page, its links leading to pages of the site, its blocks named by their files."""
    folder = PurePosixPath(place(source)).parent

    def moved(match: re.Match[str]) -> str:
        path, mark, anchor = match["target"].partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return match["target"]
        return os.path.relpath(place(resolved(source, path)), folder) + mark + anchor

    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [_LINK.sub(moved, text[end : code.start()]), named(code)]
        end = code.end()
    return "".join([*parts, _LINK.sub(moved, text[end:])])


def named(code: re.Match[str]) -> str:
    """A block of code under the name of its file, if it has one."""
    language, _, name = (code["info"] or "").partition(" ")
    if language == "mermaid":
        return arrows(code["body"])
    if not re.fullmatch(r"[\w./+-]+\.\w+", name):
        return code[0]
    indent = code["indent"]
    return f"{indent}```{{code-block}} {language}\n{indent}:caption: {name}\n{code['body']}{indent}```"


def arrows(graph: str) -> str:
    """The arrows of a drawing as a table: the code that draws Mermaid is larger than the site."""
    targets_of: dict[str, list[str]] = {}
    for start, end in re.findall(r"(\S+) --> (\S+)", graph):
        targets_of.setdefault(start, []).append(end)
    rows = [f"| `{start}` | {', '.join(f'`{end}`' for end in ends)} |" for start, ends in targets_of.items()]
    return "\n".join(["| from | to |", "| --- | --- |", *rows])


def block(source: str) -> str:
    """The page of a source file."""
    text = (ROOT / source).read_text("utf-8")
    if source.endswith(".ipynb"):
        return notebook(source, text)
    if source == VERDICTS:
        return with_links(source, verdicts.page(text))
    lexer = _LEXERS.get(source.rpartition(".")[2], "text")
    title = " / ".join(PurePosixPath(source).parts[-3:])
    return f"# {title}\n\n`{source}`\n\n````{lexer}\n{text}````\n"


def notebook(source: str, text: str) -> str:
    """The page of a notebook: its text, and its cells as blocks of code."""
    cells = [("".join(cell["source"]), cell["cell_type"] == "code") for cell in json.loads(text)["cells"]]
    parts = [f"```python\n{cell}\n```" if is_code else cell for cell, is_code in cells]
    return with_links(source, "\n\n".join(parts) + "\n")


def tree(pages: Iterable[str], folder: str = "", caption: str = "") -> str:
    """Navigation to pages of the site, from a page in a folder."""
    lines = [f":caption: {caption}"] if caption else []
    lines += [":hidden:", "", *(os.path.relpath(page, folder or ".").removesuffix(".md") for page in pages)]
    return "\n```{toctree}\n" + "\n".join(lines) + "\n```\n"


def navigation(sources: set[str]) -> dict[str, str]:
    """Page of the site → its part of the navigation. `sources` are the files that are pages."""
    text = (ROOT / MAP).read_text("utf-8")
    trees = {"index.md": tree(["documentation.md", place("docs/concepts.md")])}
    for title, body in re.findall(r"^## (\w+)[^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
        listed = [
            place(target) for target in dict.fromkeys(targets(MAP, body)) if target.startswith(("docs/", "games/"))
        ]
        trees["index.md"] += tree([*listed, API] if title == "Reference" else listed, caption=title)
    listed_games = {target for target in targets(MAP, text) if target.startswith("games/")}
    outside = sorted(
        place(source) for source in sources - listed_games if source != START and not source.startswith("docs/")
    )
    files = [page for page in outside if page.count(".") > 1]
    trees["index.md"] += tree([*(page for page in outside if page not in files), FILES], caption="Project")
    trees[FILES] = tree(files, "project")
    for source in sources:
        folder, _, name = source.rpartition("/")
        if name == "README.md" and folder.startswith("docs/"):
            others = {other for other in sources if other.startswith(f"{folder}/")} - {source, *targets(MAP, text)}
            inner = sorted(map(place, others))
            trees[place(source)] = tree(inner, place(source).rpartition("/")[0])
    return trees


def api() -> str:
    """The page of the names in `rulespec`, for Sphinx to fill."""
    sys.path.insert(0, str(ROOT))
    import rulespec

    lines = [
        *("# API", "", "The public names of `rulespec`, from their docstrings."),
        "[The Python interface](python.md) explains them with examples; [stability](stability.md) says what stays.",
    ]
    directives = {
        name: "class" if isinstance(getattr(rulespec, name), type) else "function" for name in rulespec.__all__
    }
    directives |= {name: "exception" for name in directives if name.endswith("Error")}
    for name, directive in directives.items():
        members = "" if directive == "function" else "\n   :members:"
        lines += ["", f"## {name}", "", f"```{{eval-rst}}\n.. auto{directive}:: rulespec.{name}{members}\n```"]
    lines += ["", "## rulespec.testing", "", "```{eval-rst}\n.. automodule:: rulespec.testing"]
    lines += ["   :members:", "   :imported-members:", "```", ""]
    return "\n".join(lines)


def collected() -> dict[str, str]:
    """File of the repository → text of its page, for all that links lead to."""
    todo = [START, *(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]
    results: dict[str, str] = {}
    while todo:
        source = todo.pop()
        if source in results:
            continue
        if source.endswith(PICTURES):
            results[source] = ""
        elif source.endswith(".md"):
            text = (ROOT / source).read_text("utf-8")
            results[source] = with_links(source, text)
            todo += targets(source, text)
        else:
            results[source] = block(source)
    return results


def write(out: Path) -> None:
    """Writes the sources of the site into an empty folder."""
    sources = collected()
    pictures = {source for source in sources if source.endswith(PICTURES)}
    pages = {place(source): text for source, text in sources.items() if source not in pictures}
    pages |= {API: api(), FILES: "# Source files\n\nFiles of the repository that pages link to.\n"}
    for page, part in navigation(set(sources) - pictures).items():
        pages[page] += part
    for page, text in pages.items():
        path = out / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for source in pictures:
        path = out / place(source)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, path)


if __name__ == "__main__":
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    write(Path(sys.argv[1]))
