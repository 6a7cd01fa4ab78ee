"""LOOP062: how many steps one call of a callback stands for."""

import gc

from rlvet_harness import Probe


class FrequencyInCalls(Probe):
    """Looks for the callback when the run is over."""

    enough = 1
    needs = "a callback that was called"

    def hit(self, hit):
        pass

    def end(self):
        for o in gc.get_objects():
            calls, steps = getattr(o, "n_calls", 0), getattr(o, "num_timesteps", 0)
            if type(o).__name__ not in ("CheckpointCallback", "EvalCallback") or not isinstance(calls, int) or not calls:
                continue
            if steps >= 2 * calls:
                self.confirm("%d calls of the callback for %d steps" % (calls, steps))
            self.upheld(0 < steps < 2 * calls)

    def holds(self):
        return "a call was a step"
