"""Patches libraries when the program has imported them.

A finder in front of the others lets the real ones find a module and runs our part after
the module's own code. Nothing is imported that the program does not import itself.
"""

import importlib.util
import sys
import threading
import types

from . import joins, rollouts, seeds, trace
from .graph import INPUTS


def install(run):
    """Patches what is imported already, and the rest when it is."""
    seeds.seed_python(run)
    after = {
        "numpy": [seeds.seed_numpy, joins.install_numpy, lambda numpy, run: run.instruments.tell("imported_numpy", numpy)],
        "torch": [seeds.seed_torch, watch_torch, trace.install, trace.install_draws, joins.install_torch],
        "gymnasium": [seeds.seed_environments, watch_environments],
        "gym": [seeds.seed_environments, watch_environments],
        "transformers.generation.utils": [rollouts.install_transformers],
        "vllm.entrypoints.llm": [rollouts.install_vllm],
        "argparse": [seeds.pass_seed_to_argparse],
        "click": [seeds.pass_seed_to_click],
    }
    AfterImport(after, run).install()


class AfterImport:
    """Finds modules as the others do, and patches some after they are executed."""

    def __init__(self, after, run):
        self.after, self.run = after, run

    def install(self):
        for name in list(self.after):
            if name in sys.modules:
                self.patch(sys.modules[name])
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name not in self.after:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is None or not hasattr(spec.loader, "exec_module"):
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.patch(module)

        spec.loader.exec_module = exec_module
        return spec

    def patch(self, module):
        for patch in self.after.pop(module.__name__, ()):
            patch(module, self.run)


def watch_torch(torch, run):
    """Learns of optimizers, of their steps, and of losses."""
    _watch_optimizers(torch, run)
    backward = torch.Tensor.backward
    within = threading.local()

    def tell_and_backward(self, *args, **kwargs):
        if getattr(within, "loss", None) is self:  # a mode of torch's calls it once more
            return backward(self, *args, **kwargs)
        run.backward(self)
        outer, within.loss = getattr(within, "loss", None), self
        try:
            out = backward(self, *args, **kwargs)
        finally:
            within.loss = outer
        run.backward_done()
        return out

    torch.Tensor.backward = tell_and_backward
    for watch in run.watches.values():
        watch.probe.imported(torch)
    run.instruments.tell("imported", torch)
    if any(w.probe.draws for w in run.watches.values()):
        _watch_draws(torch, run)
    if any(w.probe.functions for w in run.watches.values()):
        _watch_functions(torch, run)
    # What is compiled by a script compiler or by dynamo hides its expressions.
    torch.jit.script = _uncompiled(torch.jit.script)
    if hasattr(torch, "compile"):
        torch.compile = _uncompiled(torch.compile)


def _watch_draws(torch, run):
    """Counts the draws by which actions are chosen: what is drawn anew is a new rollout."""
    for owner, name in ((torch, "multinomial"), (torch, "normal"), (torch, "bernoulli"), (torch.Tensor, "multinomial"), (torch.Tensor, "bernoulli")):
        setattr(owner, name, _counting(getattr(owner, name), run))


def _counting(draw, run):
    def draw_and_count(*args, **kwargs):
        run.draws += 1
        return draw(*args, **kwargs)

    draw_and_count.__name__, draw_and_count.__wrapped__ = draw.__name__, draw
    return draw_and_count


def _watch_functions(torch, run):
    """Keeps what each autograd.Function was applied to, so that it can be replayed: last, and with the operation in the graph."""

    def keep(function, args):
        run.applied[function] = tuple(a.detach() if isinstance(a, torch.Tensor) else a for a in args)

    before_apply(torch, keep)
    watched = vars(torch.autograd.Function)["apply"]

    def apply(cls, *args, **kwargs):
        out = watched.__get__(None, cls)(*args, **kwargs)
        for made in out if isinstance(out, tuple) else (out,):
            node = getattr(made, "grad_fn", None)
            if getattr(type(node), "_forward_cls", None) is cls:
                node.metadata[INPUTS] = run.applied[cls]
        return out

    torch.autograd.Function.apply = classmethod(apply)


def before_apply(torch, look):
    """Lets look see each autograd.Function that is applied, and its arguments. Returns what
    applies a Function unseen."""
    own = next(vars(c)["apply"] for c in torch.autograd.Function.__mro__ if "apply" in vars(c))

    def apply(cls, *args, **kwargs):
        look(cls, args)
        return own.__get__(None, cls)(*args, **kwargs)

    torch.autograd.Function.apply = classmethod(apply)
    return own


def _uncompiled(compiler):
    """Returns a compiler that returns functions and modules as they are."""

    def keep(model=None, *args, **kwargs):
        return (lambda f: f) if model is None else model

    keep.__name__, keep.__wrapped__ = getattr(compiler, "__name__", "compile"), compiler
    return keep


def _watch_optimizers(torch, run):
    """Wraps the step of every optimizer that is made: each class has a step of its own,
    and torch 1.13 has no hooks for all."""
    optimizer = torch.optim.Optimizer
    init, add = optimizer.__init__, optimizer.add_param_group

    def __init__(self, *args, **kwargs):
        init(self, *args, **kwargs)
        step = type(self).step

        def step_and_tell(self, *args, **kwargs):
            run.stepping(self)
            out = step(self, *args, **kwargs)
            run.stepped(self)
            return out

        self.step = types.MethodType(step_and_tell, self)
        run.optimizer_made(self)

    def add_param_group(self, group):
        add(self, group)
        run.optimizer_made(self)

    optimizer.__init__, optimizer.add_param_group = __init__, add_param_group


def watch_environments(gym, run):
    """Counts the steps of environments made by gym.make."""
    make = getattr(gym, "make", None)
    if make is None:
        return

    def make_and_watch(*args, **kwargs):
        env = make(*args, **kwargs)
        step = env.step

        def step_and_tell(action):
            out = step(action)
            run.environment_stepped(env, out)
            return out

        env.step = step_and_tell
        return env

    gym.make = make_and_watch
