"""OFF022: which actions a random draw can return.

The draw is asked again many times, with the generators set back afterwards: one that returns n confirms, and so does one that
never returns n - 1, where n is the largest number of actions of the environments that were stepped.
"""

from rlvet_harness import Probe


class RandomActionBounds(Probe):
    """Watches the draw."""

    enough = 1
    deep = True

    def hit(self, hit):
        bounds = [hit.part(name) for name in ("arg1", "b", "high", "arg0")]
        high = next((int(b) for b in bounds if isinstance(b, int) or hasattr(b, "item")), None)
        count = self.actions()
        if high is None or count is None:
            self.unsure("the bound, or the number of actions, was not seen")
            return
        last = high if "random.randint" in self.target["text"] and "np." not in self.target["text"] and "numpy." not in self.target["text"] else high - 1
        if last != count - 1:
            self.confirm("the last action that can be drawn is %d, of %d actions" % (last, count), last=last)

    def actions(self):
        """Returns the number of actions by the variables in sight."""
        frame = self.frame()
        places = [frame.f_locals, frame.f_globals]
        places += [vars(x) for x in list(frame.f_locals.values()) if hasattr(x, "__dict__") and not isinstance(x, type)]
        for place in places:
            for value in list(place.values()):
                space = getattr(value, "action_space", None)
                if isinstance(getattr(space, "n", None), int) or hasattr(getattr(space, "n", None), "item"):
                    return int(space.n)
                if hasattr(value, "step") and not isinstance(value, type) and callable(space) and isinstance(space(), int):
                    return space()
        return None

    def holds(self):
        return "every action could be drawn, and nothing else"
