"""ADV030: how often one list is reversed while it grows.

It confirms if a list that was reversed is reversed again with more elements: those that were in it stand in the order of no
time by then.
"""

from rlvet_harness import Probe


class ReverseInLoop(Probe):
    """Watches the call that reverses."""

    enough = 3
    needs = "several lists with elements, each reversed once"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.list, self.length = None, 0

    def hit(self, hit):
        held = hit.part("receiver")
        if not isinstance(held, list):
            self.unsure("what is reversed is no list")
        elif held is self.list and len(held) > self.length > 0:
            self.confirm("the list was reversed, grew, and was reversed again", elements=len(held))
        elif held is not self.list and self.length > 1:
            self.upheld()
        if isinstance(held, list):
            self.list, self.length = held, len(held)

    def holds(self):
        return "each list was reversed once"
