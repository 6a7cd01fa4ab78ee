"""GRAD019: the Function, replayed on the inputs of the run.

Forward is evaluated in double precision around the inputs, and its slope is compared with
what backward returns for incoming gradients that are not constant: along random directions,
and element by element where one of them differs or crosses a kink. A difference of more
than 1e-3 away from kinks confirms; agreement at three replays refutes. A forward with
random numbers that cannot be repeated, or one that does not run in double precision, shows
nothing.
"""

import sys

from rlvet_harness import Probe
from rlvet_harness.graph import context, inputs_of
from rlvet_harness.hunt import cases, check, replay
from rlvet_harness.hunt.slopes import DOUBLE, Comparison

ELEMENTS = 32  # of an input whose slope is computed
REPLAYS = 3  # evaluations that are all replayed; later ones now and then


class BackwardNotDerivative(Probe):
    """Watches the value that backward returns for an input."""

    enough = 3
    needs = "inputs of the run at which the gradient can be computed again in double precision"
    functions = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.replaying = False
        self.returned = None  # the flagged value, during a replay

    def hit(self, hit):
        if self.replaying:
            self.hits -= 1
            self.returned = hit.value
        elif self.hits <= REPLAYS or self.hits & (self.hits - 1) == 0:
            self.replay()

    def replay(self):
        ctx = context(self.frame())
        function, inputs = getattr(type(ctx), "_forward_cls", None), inputs_of(ctx)
        if function is None or inputs is None:
            self.unsure("no call of `apply` of this Function was observed")
            return
        torch, self.replaying = sys.modules["torch"], True
        try:
            self.compare(replay.ready(self.case(torch, function, inputs)))
        except replay.Untested as why:
            self.unsure(str(why))
        except replay.REFUSED as error:
            self.unsure("it could not be replayed in double precision: %s" % str(error).splitlines()[0])
        finally:
            self.replaying = False

    def case(self, torch, function, inputs):
        return cases.of_function(torch, function.apply, ["input %d" % i for i in range(len(inputs))], inputs, DOUBLE)

    def compare(self, case):
        case.most = min(case.most, ELEMENTS)
        gradients = []
        for weight in case.weights:
            self.returned = None
            gradients.append((case.gradients(weight), self.returned))
        for i, leaf in enumerate(case.leaves):
            if all(g[i] is not None and is_flagged(case.torch, g[i], value) for g, value in gradients):
                returned = [g[i] for g, _ in gradients]
                comparison = Comparison(case, i, check.directions(case, i, returned[0]), returned)
                if comparison.wrong() or comparison.kinks():
                    comparison = Comparison(case, i, check.moves(case, i, [g for g, _ in gradients]), returned)
                self.judge(comparison)

    def judge(self, comparison):
        error, k, j = comparison.largest()
        if k is None:
            self.unsure("every input is at a kink")
            return
        slope, returned = comparison.numeric[j][k], comparison.analytic[j][k]
        self.show(slope=slope, returned=returned, off=error)
        self.plot(relative_difference=error)
        if comparison.wrong():
            self.confirm("at inputs of the run it differs from the slope of forward", slope=slope, returned=returned, relative_error=error)
        else:
            self.upheld()

    def holds(self):
        return "it was the slope of forward to within %g" % DOUBLE.tolerance


def is_flagged(torch, gradient, value):
    """Reports whether a gradient is the flagged value, as far as that is known."""
    return not isinstance(value, torch.Tensor) or value.shape != gradient.shape or torch.equal(value, gradient)
