"""RWD012: whether the limit of time is punished like a failure.

Confirmed if the condition is true at a step that only the limit of time ended: gym's info says so under "TimeLimit.truncated", and gymnasium
by a flag of its own. A condition that is false there refutes.
"""

from rlvet_harness import Probe


class TimeLimitPunished(Probe):
    """Watches the condition of the penalty."""

    enough = 2
    needs = "an episode that came to the limit of time"

    def hit(self, hit):
        frame = self.frame()
        if frame is None or not cut(frame.f_locals):
            return
        if bool(hit.value):
            self.confirm("the penalty was given at a step that only the limit of time ended")
        else:
            self.upheld()

    def holds(self):
        return "no penalty was given at the limit of time"


def cut(names):
    """Reports whether variables say that the limit of time alone ended the episode."""
    if any(isinstance(v, dict) and v.get("TimeLimit.truncated") is True for v in names.values()):
        return True
    flags = {name: bool(v) for name, v in names.items() if type(v).__name__ in ("bool", "bool_")}
    late = [v for name, v in flags.items() if "trunc" in name or "late" in name]
    ended = [v for name, v in flags.items() if "term" in name or "fell" in name]
    return any(late) and bool(ended) and not any(ended)
