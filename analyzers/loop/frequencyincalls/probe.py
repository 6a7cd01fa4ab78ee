"""LOOP062: how many steps one call of a callback stands for."""

import gc

from rlvet_harness import Probe


class FrequencyInCalls(Probe):
    """Looks for the callback when the run is over."""

    enough = 1

    def hit(self, hit):
        pass

    def end(self):
        for o in gc.get_objects():
            calls, steps = getattr(o, "n_calls", 0), getattr(o, "num_timesteps", 0)
            if type(o).__name__ in ("CheckpointCallback", "EvalCallback") and isinstance(calls, int) and calls and steps >= 2 * calls:
                self.confirm("%d calls of the callback for %d steps" % (calls, steps))

    def holds(self):
        return "a call was a step"
