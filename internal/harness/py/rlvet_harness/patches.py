"""Patches libraries when the program has imported them.

A finder in front of the others lets the real ones find a module and runs our part after
the module's own code. Nothing is imported that the program does not import itself.
"""

import importlib.util
import sys
import types

from . import seeds, trace


def install(run):
    """Patches what is imported already, and the rest when it is."""
    seeds.seed_python(run)
    after = {
        "numpy": [seeds.seed_numpy],
        "torch": [seeds.seed_torch, watch_torch, trace.install, trace.install_draws],
        "gymnasium": [seeds.seed_environments, watch_environments],
        "gym": [seeds.seed_environments, watch_environments],
        "argparse": [seeds.pass_seed_to_argparse],
        "click": [seeds.pass_seed_to_click],
    }
    finder = AfterImport(after, run)
    for name in list(after):
        if name in sys.modules:
            finder.patch(sys.modules[name])
    sys.meta_path.insert(0, finder)


class AfterImport:
    """Finds modules as the others do, and patches some after they are executed."""

    def __init__(self, after, run):
        self.after, self.run = after, run

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

    def tell_and_backward(self, *args, **kwargs):
        run.backward(self)
        return backward(self, *args, **kwargs)

    torch.Tensor.backward = tell_and_backward
    # What is compiled by a script compiler or by dynamo hides its expressions.
    torch.jit.script = _uncompiled(torch.jit.script)
    if hasattr(torch, "compile"):
        torch.compile = _uncompiled(torch.compile)


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
            run.environment_steps += 1
            run.budget.environment_stepped()
            return out

        env.step = step_and_tell
        return env

    gym.make = make_and_watch
