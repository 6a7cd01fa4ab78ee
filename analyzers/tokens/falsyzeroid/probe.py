"""TOK019: which ids were asked whether they are true."""

from rlvet_harness import Probe


class FalsyZeroId(Probe):
    """Watches an id."""

    needs = "an id, which is a number"

    def hit(self, hit):
        if hit.value is None or isinstance(hit.value, (list, tuple)):
            return
        self.show(id=int(hit.value))
        if int(hit.value) == 0:
            self.confirm("the id is 0, which counts as none", id=0)
        else:
            self.upheld()

    def holds(self):
        return "no id was 0"
