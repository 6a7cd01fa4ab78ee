"""LOOP026: whether the statement names a method, which then does nothing.

That the parentheses are missing is known; a run shows that the line is reached and that the name stands for a method.
"""

from rlvet_harness import Probe


class MethodNotCalled(Probe):
    """Watches the name."""

    enough = 1
    needs = "a name that stands for no method"

    def hit(self, hit):
        if callable(hit.value):
            self.confirm("the method was looked up and not called")
        else:
            self.upheld()

    def holds(self):
        return "it is no method"
