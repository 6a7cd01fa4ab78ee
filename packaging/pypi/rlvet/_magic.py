"""`%%rlvet`: checks a cell of a notebook, in Jupyter, Colab and IPython, and runs it.

What the cell means depends on the cells that were run before it. They are handed to the
program as a notebook, which it reads and does not run.
"""

import json
import shlex
import subprocess
import sys

from ._find_rlvet import environment, find_rlvet_bin

MAGIC = "%%rlvet"

# The options of `rlvet check` that say what is looked for, and whether a value follows.
OPTIONS = {
    "--select": True, "--extend-select": True, "--ignore": True, "--preview": False, "--no-preview": False,
    "--show-hints": False, "--no-show-hints": False, "--config": True, "--isolated": False, "--target-torch": True,
}


class CellFailed(Exception):
    """Stops what was to run after the cell; the cell's own exception has been shown."""

    def _render_traceback_(self):
        return []


def check_and_run(shell, line, cell):
    """Print what rlvet finds in a cell, and run the cell. The line has options of `rlvet check`, those of OPTIONS."""
    try:
        for finding in findings([*earlier(shell), cell], accepted(shlex.split(line))):
            print(shown(finding, cell.splitlines()), file=sys.stderr)
    except (FileNotFoundError, ValueError) as err:  # the program is missing, or says what is wrong
        print(f"error: {err}", file=sys.stderr)
    if not shell.run_cell(cell, store_history=False).success:
        raise CellFailed


def accepted(words):
    """Return the words of the line. The ValueError says which of them a cell cannot take."""
    rest = iter(words)
    for word in rest:
        option, has_value, _ = word.partition("=")
        if not word.startswith("-"):
            raise ValueError(f"{MAGIC} checks its own cell; for a file, use `!rlvet check {shlex.quote(word)}`")
        if option in ("--fix", "--fix-only", "--unsafe-fixes"):
            raise ValueError(f"{MAGIC} cannot change a cell; use `rlvet check --fix notebook.ipynb`")
        if option not in OPTIONS:
            raise ValueError(f"{MAGIC} takes no {option}; it takes {', '.join(o for o in OPTIONS if not o.startswith('--no-'))}")
        if OPTIONS[option] and not has_value and next(rest, None) is None:
            raise ValueError(f"{option} needs a value; see `rlvet check --help`")
    return words


def earlier(shell):
    """Return the texts of the cells that were run before this one, without our magic."""
    for text in shell.history_manager.input_hist_raw[1:-1]:
        first, _, rest = text.partition("\n")
        yield rest if first.startswith(MAGIC) else text


def findings(cells, options):
    """Return what `rlvet check` finds in the last of some cells."""
    book = {"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text} for text in cells]}
    book.update(metadata={"language_info": {"name": "python"}}, nbformat=4, nbformat_minor=4)
    # A settings file may ask for fixes: then the output is the fixed notebook, not findings.
    command = [find_rlvet_bin(), "check", *options, "--no-fix", "--output-format", "json", "--stdin-filename", "notebook.ipynb", "-"]
    done = subprocess.run(command, env=environment(), input=json.dumps(book), capture_output=True, encoding="utf-8")
    try:
        found = json.loads(done.stdout)
    except ValueError:  # nothing was checked
        raise ValueError(done.stderr.strip().removeprefix("error: ") or f"rlvet ended with {done.returncode}") from None
    return [f for f in found if f.get("cell") == len(cells)]


def shown(finding, lines):
    """Return a finding as a text: the line, what is wrong with it, why, and what to write."""
    row = finding["location"]["row"]
    out = [f"line {row}: {finding['severity']} {finding['code']}: {finding['message']}", "    " + lines[row - 1].strip()]
    out += [f"  {word}: {finding[word]}" for word in ("why", "help") if finding.get(word)]
    return "\n".join(out)
