"""DIST013: compares two calls of the function with the flag set.

At the first evaluations, calls the function again with the same arguments and the flag
set, under different random seeds, and restores the random generators. Confirmed if two
results differ: a deterministic action must not. Refuted if they are equal, and those without the flag differ.
"""

import gc
import inspect
import random
import sys

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor, same_numbers

SEEDS = 12  # calls that are compared, with the flag and without
LOOKED = 3  # evaluations at which the function is called again
FLAGS = ("deterministic", "is_deterministic", "greedy")
# Others are set by an evaluation to what asks for no exploration: to True where they name the evaluation, to False where they name what is drawn.
OTHERS = {
    True: ("evaluate evaluation eval eval_mode eval_flag evaluating is_eval is_evaluate test testing test_mode is_test").split(),
    False: (
        "explore exploration exploring train training is_train is_training train_mode noise add_noise with_noise use_noise noisy apply_noise "
        "stochastic random sample"
    ).split(),
}


class DeterministicFlagInverted(Probe):
    """Watches a flag that asks for a deterministic action."""

    enough = 1
    needs = "a function that draws other actions when the flag is not set"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.calling = False
        self.compared = 0

    def hit(self, hit):
        if self.calling or self.compared >= LOOKED:
            return
        self.calling = True
        try:
            self.call(self.frame())
        finally:
            self.calling = False

    def frame(self):
        """Returns the innermost frame of the program under test."""
        frame = sys._getframe()
        while frame is not None and not self.run.is_program(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def call(self, frame):
        function = next((f for f in gc.get_referrers(frame.f_code) if inspect.isfunction(f)), None)
        asked = {**dict.fromkeys(FLAGS, True), **{name: value for value, names in OTHERS.items() for name in names}}
        flag = next((name for name in asked if name in frame.f_code.co_varnames[: frame.f_code.co_argcount]), None)
        if function is None or flag is None or inspect.getfullargspec(function).varargs:
            self.unsure("the function cannot be called on its own")
            return
        given = {name: frame.f_locals[name] for name in inspect.signature(function).parameters if name in frame.f_locals}
        self.compared += 1
        equal, varied = ([_equal(*pair) for pair in self.pairs(function, given, flag, value)] for value in (asked[flag], not asked[flag]))
        self.show(flag=flag, equal=all(equal))
        if not all(equal):
            self.confirm("two calls with `%s` set and the same arguments returned different results" % flag)
        self.upheld(not all(varied))

    def pairs(self, function, given, flag, value):
        """Yields the result of a first call, beside that of each other one."""
        first = _seeded(0, function, {**given, flag: value})
        for seed in range(1, SEEDS):
            yield first, _seeded(seed, function, {**given, flag: value})

    def end(self):
        if not self.compared:
            self.unsure("the function was never called")

    def holds(self):
        return "two calls with the flag set and the same arguments returned equal results"


def _seeded(seed, function, given):
    """Calls a function under a seed, then restores the random generators."""
    torch, numpy = sys.modules["torch"], sys.modules.get("numpy")
    states = random.getstate(), numpy.random.get_state() if numpy is not None else None
    try:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            random.seed(seed)
            if numpy is not None:
                numpy.random.seed(seed)
            return function(**given)
    finally:
        random.setstate(states[0])
        if numpy is not None:
            numpy.random.set_state(states[1])


def _equal(a, b):
    if is_tensor(a) and is_tensor(b):
        return same_numbers(a, b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[k], b[k]) for k in a)
    return bool(sys.modules["numpy"].all(a == b)) if "numpy" in sys.modules else bool(a == b)
