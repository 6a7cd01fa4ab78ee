"""rlvet as a Python package: the program, and how to find it."""

from ._find_rlvet import find_rlvet_bin

__all__ = ["find_rlvet_bin"]
