"""ENV031: whether the recorded return is the sum of the rewards that the environment paid."""

from rlvet_harness import Probe


class StatisticsOfScaledRewards(Probe):
    """Watches the recorder, and counts the rewards that leave the environment inside all wrappers."""

    enough = 1
    needs = "an episode that was recorded"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.paid, self.episodes = 0.0, 0

    def hit(self, hit):
        recorder = hit.value
        inner = getattr(recorder, "unwrapped", None)
        if inner is None or inner is recorder or hasattr(recorder, "num_envs"):
            self.unsure("the rewards of the environment itself cannot be seen")
            return
        self.watch(inner, self.pay)
        self.watch(recorder, self.compare)

    def watch(self, env, look):
        step = env.step

        def watched(action):
            out = step(action)
            self.guarded(look, out)
            return out

        env.step = watched

    def pay(self, out):
        self.paid += float(out[1])

    def compare(self, out):
        episode = out[-1].get("episode")
        if episode is None:
            return
        self.episodes += 1
        recorded, paid, self.paid = float(episode["r"]), self.paid, 0.0
        if abs(recorded - paid) > 0.01 * max(1.0, abs(paid)):
            self.confirm("the episode paid %.4g, and %.4g was recorded" % (paid, recorded), paid=paid, recorded=recorded)
        else:
            self.upheld()

    def holds(self):
        return "%d episodes were recorded with what they paid" % self.episodes
