"""CFG018: whether two options of a parser write into one field."""

from rlvet_harness import Probe


class SameDest(Probe):
    """Watches the call that declares the option."""

    enough = 1
    needs = "a parser with options"

    def hit(self, hit):
        mine, parser = hit.value, hit.part("receiver")
        others = [a for a in getattr(parser, "_actions", []) if a is not mine and a.dest == getattr(mine, "dest", None)]
        if others:
            self.confirm("%s writes into the same field" % "/".join(others[0].option_strings))
        else:
            self.upheld(hasattr(parser, "_actions") and hasattr(mine, "dest"))

    def holds(self):
        return "no other option writes into the field"
