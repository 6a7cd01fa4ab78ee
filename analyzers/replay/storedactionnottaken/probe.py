"""OFF026: the action that is stored, and the one that the environment got.

Environments in sight are told apart by their methods; what their step gets is noted. Confirmed if what is stored differs from the last action
that was taken. If the two are equal at many steps, that refutes.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat


class StoredActionNotTaken(Probe):
    """Watches the action that is stored."""

    needs = "an environment in sight, and an action of the form that it gets"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.envs = {}  # by identity
        self.taken = None
        self.kinds = set()

    def hit(self, hit):
        first = not self.envs
        for env in self.environments():
            self.watch(env)
        stored = flat(hit.value)
        if first or self.taken is None:
            return
        if not stored or not self.taken or len(stored) != len(self.taken):
            self.unsure("what is stored has another form than what the environment gets")
            return
        self.kinds.add(tuple(stored))
        if stored != self.taken:
            self.confirm("the environment got another action than the one that is stored", stored=stored[:4], taken=self.taken[:4])
        else:
            self.upheld(len(self.kinds) > 1)

    def environments(self):
        """Returns what can be stepped and reset, in variables and in fields of objects in variables."""
        frame = self.frame()
        if frame is None:
            return []
        seen = [*frame.f_locals.values(), *frame.f_globals.values()]
        seen += [x for v in frame.f_locals.values() if hasattr(v, "__dict__") and not isinstance(v, type) for x in vars(v).values()]
        return [x for x in seen if not isinstance(x, type) and callable(getattr(x, "step", None)) and callable(getattr(x, "reset", None))]

    def watch(self, env):
        if id(env) in self.envs:
            return
        self.envs[id(env)] = env
        method = env.step

        def noted(action, *args, **kwargs):
            self.taken = flat(action)
            return method(action, *args, **kwargs)

        try:
            env.step = noted
        except AttributeError:
            pass

    def holds(self):
        return "what was stored is what the environment got"
