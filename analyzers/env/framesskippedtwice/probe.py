"""ENV068: whether frames are skipped within the wrapper that skips frames.

The game within says itself how many frames its steps last. More than one confirms, one refutes.
"""

from rlvet_harness import Probe


class FramesSkippedTwice(Probe):
    """Watches the wrapper that repeats each action."""

    needs = "a game that says how many frames its steps last"

    def hit(self, hit):
        env = hit.value
        for _ in range(32):
            within = getattr(env, "env", None)
            if within is None:
                break
            env = within
        frames = getattr(env, "_frameskip", None)
        if frames is None:
            self.unsure("the environment does not say how many frames a step lasts")
        elif frames == 1:
            self.upheld()
        else:
            self.confirm("the game within skips frames itself", frames=str(frames))

    def holds(self):
        return "the game within skips no frames"
