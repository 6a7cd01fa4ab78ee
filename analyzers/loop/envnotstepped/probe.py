"""LOOP040: whether actions reach the environment.

One number in each of many steps confirms. So do resets with an optimizer's steps, and none of the environment's, between them.
Different actions, and steps between resets, refute.
"""

from rlvet_harness import Probe


class EnvNotStepped(Probe):
    """Watches the action, or the reset."""

    enough = 10
    needs = "different actions, or steps of the environment between resets"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.actions, self.taken, self.learned = set(), 0, 0
        self.counted = {}  # environments whose steps are counted, by identity

    def hit(self, hit):
        env = hit.part("receiver", "receiver_value")
        if hasattr(env, "reset"):
            self.reset(env)
            return
        if isinstance(hit.value, (int, float)):
            self.actions.add(hit.value)
            if self.hits >= self.enough and len(self.actions) == 1:
                self.confirm("%d steps got the same action" % self.hits, action=float(hit.value))
            self.upheld(len(self.actions) > 1)
        else:
            self.unsure("the action is no number")

    def reset(self, env):
        if id(env) not in self.counted:
            self.counted[id(env)] = env
            method = env.step

            def counted(*args, **kwargs):
                self.taken += 1
                return method(*args, **kwargs)

            env.step = counted
        elif self.taken:
            self.upheld()
        elif self.run.steps > self.learned and not self.taken and self.hits >= self.enough:
            self.confirm("the environment was reset %d times, and never stepped" % self.hits)
        self.learned = self.run.steps

    def holds(self):
        return "the environment was stepped with different actions"
