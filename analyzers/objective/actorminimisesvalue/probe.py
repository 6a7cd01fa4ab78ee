"""OBJ080: checks with which sign the loss of an actor counts what the critic says of its action.

Confirmed if a backward pass shows that the loss rises with the value. Refuted if it falls with it at five backward passes.
"""

from rlvet_harness import Probe


class ActorMinimisesValue(Probe):
    """Watches the critic's value of the actor's action."""

    enough = 5
    needs = "a backward that brings the value a gradient, which a step then uses"

    def hit(self, hit):
        if getattr(hit.value, "requires_grad", False) and self.confirmed is None:
            self.at_step(hit.value, lambda gradient: self.reached(float(gradient.sum())))

    def reached(self, slope):
        self.show(slope_by_value=slope)
        if slope > 0:
            self.confirm("the loss rises with the value of the action", slope=slope)
        elif slope < 0:
            self.upheld()

    def holds(self):
        return "the loss fell as the value of the action rose"
