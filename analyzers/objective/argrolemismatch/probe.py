"""OBJ014: what is passed at the flagged place: a truth value confirms, as it stands for a reward, and so does a reward that stands for one."""

from rlvet_harness import Probe


class ArgRoleMismatch(Probe):
    """Watches the argument."""

    enough = 10
    needs = "what is taken at this place, which the probe does not see"

    def hit(self, hit):
        if isinstance(hit.value, bool):
            self.confirm("the end of an episode was passed where a reward belongs")
        elif isinstance(hit.value, float) and self.hits >= self.enough:
            self.confirm("a reward was passed where the end of an episode belongs")
        elif not isinstance(hit.value, float):
            self.unsure("what is passed is neither a number nor a truth value")

    def holds(self):
        return "the argument fits"
