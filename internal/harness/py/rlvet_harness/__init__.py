"""Watches flagged expressions of a training script while it runs.

The program is run unmodified but for one thing: each flagged expression, and the
expressions that it is made of, pass through a function that looks at the value and
hands it on. Everything else of the package serves that: finding the expression
(``rewrite``), getting the rewritten code imported (``load``, ``children``), making
runs differ by their seed alone (``seeds``), ending them in time (``budget``), and
telling the parent what was seen (``events``).

A rule's ``probe.py`` derives from :class:`Probe` and says what confirms and what
refutes its finding. Only the standard library is imported here; torch and numpy are
looked at when the program has imported them.
"""

from .observe import Numbers, numbers
from .probe import Hit, Probe

__all__ = ["Hit", "Numbers", "Probe", "numbers"]
