"""OFF022: which actions a random draw can return.

The draw is asked again many times, of a copy of its generator or with the generators set back afterwards: one that returns n confirms, and so does one that
never returns n - 1, where n is the number of actions of the environments in sight. One that returns n - 1 and nothing above it refutes.
"""

import ast
import copy
import functools
import random
import sys

from rlvet_harness import Probe

MOST = 1000  # actions
TIMES = 40  # draws for each action: one that can be drawn is missed in one of 10**17 runs


class RandomActionBounds(Probe):
    """Watches the draw."""

    enough = 1
    needs = "a draw that can be asked again, and one number of actions of the environments in sight"
    deep = True

    def hit(self, hit):
        counts = self.actions()
        draw = self.draw(hit)
        if len(counts) != 1 or draw is None:
            self.unsure("the draw cannot be asked again, or the environments in sight have no one number of actions")
            return
        count, = counts
        if count > MOST:
            self.unsure("there are too many actions to draw them all")
            return
        last = self.last(draw, TIMES * count)
        if last != count - 1:
            self.confirm("the last action that can be drawn is %d, of %d actions" % (last, count), last=last)
        else:
            self.upheld()

    def draw(self, hit):
        """Returns a function that asks the draw again; None where the call is not understood."""
        call = self.expression()
        if not isinstance(call, ast.Call) or any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return None
        owner = hit.part("receiver")
        if isinstance(call.func, ast.Name):
            frame = self.frame()
            function = frame.f_locals.get(call.func.id, frame.f_globals.get(call.func.id))
            owner = getattr(function, "__self__", None)
            owner = None if owner is random._inst else owner
        elif isinstance(call.func, ast.Attribute) and owner is not None:
            if not isinstance(owner, type(random)):
                owner = copy.deepcopy(owner)
            function = getattr(owner, call.func.attr, None)
        else:
            return None
        if not callable(function) or owner is not None and isinstance(call.func, ast.Name):
            return None
        try:
            args = [ast.literal_eval(a) if isinstance(a, (ast.Constant, ast.Tuple)) else hit.parts["arg%d" % i] for i, a in enumerate(call.args)]
            named = {k.arg: ast.literal_eval(k.value) if isinstance(k.value, (ast.Constant, ast.Tuple)) else hit.parts[k.arg] for k in call.keywords}
        except (KeyError, ValueError):
            return None
        return functools.partial(function, *args, **named)

    def last(self, draw, times):
        """Returns the largest number that many draws return, and leaves the generators as they were."""
        torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
        states = random.getstate(), numpy and numpy.random.get_state(), torch and torch.get_rng_state()
        try:
            out = [draw() for _ in range(times)]
        finally:
            random.setstate(states[0])
            if numpy:
                numpy.random.set_state(states[1])
            if torch:
                torch.set_rng_state(states[2])
        return max(int(x.max()) if hasattr(x, "max") else int(x) for x in out)

    def actions(self):
        """Returns the numbers of actions of the environments in the variables in sight."""
        out = set()
        frame = self.frame()
        places = [frame.f_locals, frame.f_globals]
        places += [vars(x) for x in list(frame.f_locals.values()) if hasattr(x, "__dict__") and not isinstance(x, (type, type(sys)))]
        for place in places:
            for value in list(place.values()):
                if isinstance(value, type(sys)):
                    continue
                space = getattr(value, "action_space", None)
                if isinstance(getattr(space, "n", None), int) or hasattr(getattr(space, "n", None), "item"):
                    out.add(int(space.n))
                elif hasattr(value, "step") and not isinstance(value, type) and callable(space) and isinstance(space(), int):
                    out.add(space())
        return out

    def holds(self):
        return "every action could be drawn, and nothing else"
