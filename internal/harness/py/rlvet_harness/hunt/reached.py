"""Counts how often changed lines are run.

settings: lines, each with file (relative to the project), row and end_row. A counter is put
before each statement on them; of a statement over several lines one is enough. A line that
is part of no statement (a comment) has no count.
"""

import builtins
import os

from .. import names
from ..instrument import Instrument
from ..rewrite import count_statements


class Reached(Instrument):
    """Has a counter for each range of lines."""

    def __init__(self, settings, run):
        super().__init__(settings, run)
        self.lines = [dict(line, hits=None) for line in settings["lines"]]
        for number, line in enumerate(self.lines):
            setattr(builtins, names.reached(number), self.counter(line))

    def counter(self, line):
        def count():
            line["hits"] += 1

        return count

    def files(self):
        return {os.path.join(self.run.root, line["file"]) for line in self.lines}

    def rewrite(self, tree, path):
        for number, line in enumerate(self.lines):
            if os.path.realpath(os.path.join(self.run.root, line["file"])) == os.path.realpath(path):
                if count_statements(tree, line["row"], line["end_row"], names.reached(number)):
                    line["hits"] = line["hits"] or 0

    def end(self, status):
        self.keep({"lines": self.lines})
