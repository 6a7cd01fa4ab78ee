"""ADV004: whether the sum goes on over the end of an episode.

Flags of the steps are searched for in the variables around the sum. The loop goes backwards, so the last sum is of the first
step. Confirmed if at a step that ended an episode the sum took over the one behind it.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flags_near, flat


class ReturnLeaksOverEpisodes(Probe):
    """Watches the sum."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.rounds = {}  # by frame, whether both parts of each sum count
        self.flags = {}

    def hit(self, hit):
        left, right, frame = flat(hit.part("left")), flat(hit.part("right")), self.frame()
        if left is None or right is None or frame is None or len(self.rounds) > 64:
            return
        key = id(frame)
        self.rounds.setdefault(key, []).append(any(left) and any(right))
        if key not in self.flags:
            self.flags[key] = [f for n in set(_sizes(frame)) for f in flags_near(frame, n) if n > 2]

    def end(self):
        seen = 0
        for key, rounds in self.rounds.items():
            for ended in self.flags[key]:
                n = len(ended)
                if len(rounds) < n:
                    continue
                inner = [t for t in range(n - 1) if ended[t]]
                seen += len(inner)
                if inner and all(rounds[n - 1 - t] for t in inner):
                    self.confirm("at the last step of an episode the sum took over the one behind it", episodes=len(inner))
                    return
        if not seen:
            self.unsure("no end of an episode was seen among the steps that were added up")

    def holds(self):
        return "the sum began anew at the end of an episode"


def _sizes(frame):
    for value in list(frame.f_locals.values()):
        for part in [value, *(vars(value).values() if hasattr(value, "__dict__") and not callable(value) else ())]:
            if not isinstance(part, (str, dict)):
                yield len(flat(part) or ())
