"""CFG014: what the option makes of the text False."""

from rlvet_harness import Probe


class ArgparseBool(Probe):
    """Watches the call that declares the option."""

    enough = 1
    needs = "an option that makes of the text False something that is false"

    def hit(self, hit):
        read = getattr(hit.value, "type", None)
        if not callable(read):
            self.unsure("the option has no type")
        elif read("False") is True:
            self.confirm("the option reads the text False as true")
        else:
            self.upheld(not read("False"))

    def holds(self):
        return "the option reads the text False as false"
