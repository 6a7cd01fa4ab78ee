"""ENV063: whether a recurrent policy was asked without its state, or a masked one without masks."""

from rlvet_harness import Probe


class StateNotPassed(Probe):
    """Watches the call of predict."""

    enough = 2
    needs = "a model that is asked with its state, or with masks"

    def hit(self, hit):
        if hit.part("receiver") is None:
            self.unsure("which model is asked was not seen")
            return
        recurrent = "Recurrent" in type(hit.part("receiver")).__name__
        if recurrent and self.hits > 1 and hit.part("state", "arg1") is None and hit.value[1] is not None:
            self.confirm("step %d began without the state that the one before returned" % self.hits)
        elif not recurrent and hit.part("action_masks", "arg4") is None:
            self.confirm("no masks were passed")
        else:
            self.upheld(not recurrent or hit.part("state", "arg1") is not None)

    def holds(self):
        return "state and masks were passed"
