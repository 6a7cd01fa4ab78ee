"""ENV018: whether two of the functions return the same object."""

from rlvet_harness import Probe


class OneEnvManyTimes(Probe):
    """Watches the list of functions."""

    enough = 1

    def hit(self, hit):
        fns = hit.value
        if len(fns) < 2:
            self.unsure("the vector has one slot")
        elif fns[0]() is fns[1]():
            self.confirm("two slots of %d hold the same object" % len(fns))

    def holds(self):
        return "the slots hold different objects"
