"""ENV018: whether two of the functions return the same object."""

from rlvet_harness import Probe

MOST = 8  # functions that are asked


class OneEnvManyTimes(Probe):
    """Watches the list of functions."""

    enough = 1
    needs = "several functions, whose objects all differ"

    def hit(self, hit):
        fns = hit.value
        if len(fns) < 2:
            self.unsure("the vector has one slot")
            return
        made = [make() for make in fns[:MOST]]
        if len({id(env) for env in made}) < len(made):
            self.confirm("two slots of %d hold the same object" % len(fns))
        else:
            self.upheld(len(made) == len(fns))

    def holds(self):
        return "the slots hold different objects"
