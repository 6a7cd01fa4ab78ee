"""LOOP081: whether a call of an evaluation draws, or moves what it is made of (rlvet_harness/again.py).

It is made again with the same arguments under several seeds. Different results confirm, equal ones refute.
"""

from rlvet_harness.again import Again


class EvaluationFlagOfTraining(Again):
    """Watches the call with the flag."""

    needs = "a call that yields the same each time"
