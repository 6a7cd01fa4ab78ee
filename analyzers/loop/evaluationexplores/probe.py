"""LOOP080: whether the call that chooses the action of an evaluation draws (rlvet_harness/again.py).

It is made again with the same arguments under several seeds. Different results confirm, equal ones refute. Of a comparison with a rate, the rate counts.
"""

from rlvet_harness.again import Again


class EvaluationExplores(Again):
    """Watches what chooses the action."""

    needs = "a call that yields the same action each time"
