"""ADV004: whether the sum goes on over the end of an episode.

Flags of the steps are searched for in the variables around the sum: actions and rewards are none, and only what is called or typed as
one refutes. The loop goes backwards, so the last sum is of the first
step. One half of the addition is what the step itself gives, the other a share of the sum so far, such as gamma times it: the half
that is the same share each time is what is carried on. Confirmed if something was carried on at each step that ended an episode,
and at others: what is carried on just where a flag is 1 is masked by it.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import ends_near, flat, perhaps_ends_near

# How far apart shares may be that are one, in relation to each other: the sums are of float32.
TOLERANCE = 1e-3


class ReturnLeaksOverEpisodes(Probe):
    """Watches the sum."""

    enough = 1
    needs = "flags of the ends of episodes in sight, by their names or their types, and a sum that carries something on at the other steps"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.rounds = {}  # by frame, both halves of each addition
        self.flags = {}

    def hit(self, hit):
        halves, frame = (flat(hit.part("left")), flat(hit.part("right"))), self.frame()
        if None in halves or frame is None or len(self.rounds) > 64:
            return
        key = id(frame)
        self.rounds.setdefault(key, []).append(halves)
        if key not in self.flags:
            self.flags[key] = [(f, sure) for n in set(_sizes(frame)) if n > 2 for sure in (True, False) for _, f in (ends_near if sure else perhaps_ends_near)(frame, n)]

    def end(self):
        ends = blind = 0
        for key, rounds in self.rounds.items():
            carried = carried_half(rounds)
            for ended, sure in self.flags[key]:
                n = len(ended)
                if len(rounds) < n or is_added(rounds, ended):
                    continue
                inner = [t for t in range(n - 1) if ended[t]]
                judged = [taken for taken in (took_over(rounds, n - 1 - t, carried) for t in inner) if taken is not None]
                ends += len(inner)
                blind += len(inner) - len(judged)
                others = [took_over(rounds, n - 1 - t, carried) for t in range(n - 1) if not ended[t]]
                if judged and all(judged) and any(others):
                    self.confirm("at the last step of an episode the sum took over the one behind it", episodes=len(judged))
                    return
                if sure and judged and not any(judged) and any(others):
                    self.upheld()
        if not ends:
            self.unsure("no end of an episode was seen among the steps that were added up")
        elif blind == ends:
            self.unsure("where episodes ended, nothing was added, so the sum cannot be told from what it carries on")

    def holds(self):
        return "the sum began anew at the end of an episode"


def is_added(rounds, flag):
    """Returns whether a list of 0 and 1 is what the steps themselves give, as rewards."""
    n = len(flag)
    return any(all(rounds[n - 1 - t][half] == [flag[t]] for t in range(n)) for half in (0, 1))


def took_over(rounds, at, carried):
    """Returns whether an addition took over the sum before it; None where that was 0, or no half is known to be the one that is
    carried on and one of them is 0."""
    if not any(sums(rounds[at - 1])):
        return None
    left, right = rounds[at]
    if carried is None:
        return True if any(left) and any(right) else None
    return any(rounds[at][carried])


def carried_half(rounds):
    """Returns which half of the additions is the same share of the sum before, wherever it is not 0; None where that is true of both
    or of neither."""
    steady = [half for half in (0, 1) if _is_one(list(_shares(rounds, half)))]
    return steady[0] if len(steady) == 1 else None


def _shares(rounds, half):
    for before, after in zip(rounds, rounds[1:]):
        for total, part in zip(sums(before), after[half]):
            if total and part:
                yield part / total


def _is_one(shares):
    return len(shares) > 1 and all(abs(s - shares[0]) <= TOLERANCE * abs(shares[0]) for s in shares)


def sums(halves):
    """Returns the sums of two lists, of which one may be a number for all of the other."""
    left, right = halves
    if len(left) == 1:
        left = left * len(right)
    if len(right) == 1:
        right = right * len(left)
    return [a + b for a, b in zip(left, right)]


def _sizes(frame):
    for value in list(frame.f_locals.values()):
        for part in [value, *(vars(value).values() if hasattr(value, "__dict__") and not callable(value) else ())]:
            if not isinstance(part, (str, dict)):
                yield len(flat(part) or ())
