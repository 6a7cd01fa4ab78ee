"""Compares programs with and without probes, and recorded: python compare.py FORMS.

For each program of FORMS, and each expression in it, the program runs as it is and with
a probe at that expression; then with all expressions recorded. All must evaluate the same things in the same order, come to
the same result or the same exception, and raise it on the same lines. One line of JSON
says how many were compared and how they differ.
"""

import ast
import builtins
import json
import linecache
import re
import sys
import traceback

from rlvet_harness import names, sites
from rlvet_harness.recorder import Recorder
from rlvet_harness.rewrite import rewrite


def programs(path):
    """Yields name and text of the programs that this Python understands."""
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^### (.*)\n", file.read(), flags=re.M)[1:]
    for name, text in zip(parts[::2], parts[1::2]):
        since = re.search(r" 3\.(\d+)$", name)
        if since is None or sys.version_info >= (3, int(since[1])):
            yield name, text


def outcome(code, filename):
    """Runs a program; returns all that can be seen of it."""
    seen = []

    def t(value):
        seen.append(shown(value))
        return value

    module = {"__name__": "program", "t": t}
    try:
        exec(code, module)
        came_to = shown(module.get("result"))
    except Exception as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == filename]
        came_to = type(error).__name__, str(error), lines
    return seen, came_to


def shown(value):
    """Describes a value without the addresses in it."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def targets(source):
    """Yields a target for each place that a finding may name."""
    text = source.encode("utf-8")
    starts = [0]
    for line in text.splitlines(True):
        starts.append(starts[-1] + len(line))
    spans = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.expr, ast.arg, ast.AugAssign)):
            spans.add((starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset))
    for start, end in sorted(spans):
        yield {"id": 0, "start": start, "end": end, "text": text[start:end].decode("utf-8", "replace")}


class Probes:
    """Stands for the probes among the builtins, and counts what passes."""

    def install(self, parts):
        self.values, self.parts = 0, 0
        setattr(builtins, names.value(0), self.value)
        for part in parts:
            setattr(builtins, names.part(0, part), self.part)

    def value(self, value):
        self.values += 1
        return value

    def part(self, value):
        self.parts += 1
        return value


class Program:
    """Stands for the run of a program that is recorded."""

    root, request = "/nowhere", {}

    def __init__(self):
        self.instruments = self

    def guarded(self, instrument, function, *args):
        function(*args)

    def is_program(self, filename):
        return False

    def shown(self, path):
        return path


def record(source, filename):
    """Runs a program with all its values recorded: what can be seen of it, how many expressions it
    has, and how many of them were evaluated."""
    recorder = Recorder({}, Program())
    tree = ast.parse(source, filename)
    sites.watch(tree, filename, source.encode("utf-8"), recorder)
    try:
        seen = outcome(compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True), filename)
    except (SyntaxError, ValueError, TypeError) as error:
        seen = "it does not compile: %s" % error
    return seen, len(recorder.sites), sum(s.count > 0 for s in recorder.sites)


def compare(path):
    said = {"programs": 0, "compared": 0, "reached": 0, "refused": 0, "recorded": 0, "evaluated": 0, "differences": []}
    probes = Probes()
    for name, source in programs(path):
        said["programs"] += 1
        filename = "<%s>" % name
        linecache.cache[filename] = len(source), None, source.splitlines(True), filename
        plain = outcome(compile(source, filename, "exec", dont_inherit=True), filename)
        for target in targets(source):
            for deep in (False, True):
                tree, placed, refused = rewrite(source, filename, [{**target, "deep": deep}])
                if refused:
                    said["refused"] += 1
                    continue
                probes.install(placed[0])
                try:
                    watched = outcome(compile(tree, filename, "exec", dont_inherit=True), filename)
                except (SyntaxError, ValueError, TypeError) as error:
                    watched = "it does not compile: %s" % error
                said["compared"] += 1
                said["reached"] += probes.values > 0
                if watched != plain:
                    said["differences"].append("%s: at %r (deep: %s)\n  plain:   %r\n  watched: %r" % (name, target["text"], deep, plain, watched))
        recorded, sites, evaluated = record(source, filename)
        said["recorded"] += sites
        said["evaluated"] += evaluated
        if recorded != plain:
            said["differences"].append("%s: recorded\n  plain:    %r\n  recorded: %r" % (name, plain, recorded))
    print(json.dumps(said))


if __name__ == "__main__":
    compare(sys.argv[1])
