"""SEED010: whether a seed comes from the hash of a text, which Python salts anew for each process.

That is known of the program; a run shows that the line is reached.
"""

from rlvet_harness import Probe


class SeedOfHash(Probe):
    """Watches the seed."""

    enough = 1
    needs = "a seed that is no number"

    def hit(self, hit):
        if isinstance(hit.value, int):
            self.confirm("a seed was taken from the hash of a text")
        else:
            self.upheld()

    def holds(self):
        return "the seed is no number"
