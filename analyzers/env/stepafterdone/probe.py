"""ENV010: whether an environment is stepped although its episode has ended, with no reset in between."""

from rlvet_harness import Probe


class StepAfterDone(Probe):
    """Watches the step, and counts the resets of the environment."""

    enough = 1
    needs = "a step after the end of an episode, with a reset between them"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.over, self.resets, self.ended, self.episodes = False, 0, 0, 0

    def hit(self, hit):
        env = hit.part("receiver", "receiver_value")
        if self.hits <= 1 and not self.wrap(env):
            self.unsure("the resets of the environment cannot be counted")
        out = hit.value
        if not isinstance(out, tuple) or len(out) < 3 or len(out) == 3 and not is_flag(out[2]):
            self.unsure("what step returned is not understood")
            return
        if self.over and self.resets == self.ended:
            self.confirm("the episode had ended, and nothing had reset the environment", episodes=self.episodes)
        self.upheld(self.over and self.resets > self.ended)
        ends = out[2:4] if len(out) > 4 else out[2:3]
        self.over = any(map(is_flag, ends)) and any(bool(e) for e in ends)
        if self.over:
            self.ended = self.resets
            self.episodes += 1

    def wrap(self, env):
        """Counts the resets of an environment; False where it has no room for that."""
        try:
            method = env.reset

            def counted(*args, **kwargs):
                self.resets += 1
                return method(*args, **kwargs)

            env.reset = counted
        except AttributeError:
            return False
        return True

    def end(self):
        if not self.episodes:
            self.unsure("no episode ended")

    def holds(self):
        return "the environment was reset after the end of each episode"


def is_flag(end):
    """Reports whether a part of what step returned may say that the episode has ended."""
    return isinstance(end, bool) or getattr(end, "ndim", 1) == 0
