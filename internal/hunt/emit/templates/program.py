"""{{.Shown}} trains under seed {{.Seed}} for {{.Backwards}} losses, all of them finite.

Written by `rlvet hunt`: there, training failed ({{.Detail}}). What failed could not be
replayed by itself, so this runs the program, in a process of its own, to where it failed. It
needs torch, pytest, and what the program needs.
"""

import os
import random
import runpy
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = {{.Root}}
PROGRAM = {{.Program}}
ARGUMENTS = {{py .Arguments}}
SEED = {{.Seed}}
LOSSES = {{.Backwards}}  # until it failed, and a few more


def test_{{.Snake}}_trains():
    """The program comes as far without a loss that is NaN or infinite."""
    environment = {**os.environ, "PYTHONHASHSEED": str(SEED), "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "PYTORCH_JIT": "0"}
    run = subprocess.run([sys.executable, str(Path(__file__).resolve()), *ARGUMENTS], cwd={{.Folder}}, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.returncode == 0, run.stdout[-3000:]


def train():
    """Runs the program as it was run when it failed: one thread, {{if .Respect}}and its own seeds{{else}}and its seeds shifted{{end}}."""
    import torch

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    if hasattr(torch.utils, "deterministic"):
        torch.utils.deterministic.fill_uninitialized_memory = False
    seed_all(torch)
    watch_losses(torch)
    sys.path[0] = {{.Folder}}
{{- if .ModuleName}}
    runpy.run_module(PROGRAM, run_name="__main__", alter_sys=True)
{{- else}}
    sys.argv[0] = PROGRAM
    runpy.run_path(PROGRAM, run_name="__main__")
{{- end}}


def seed_all(torch):
    """Seeds what draws random numbers, and shifts the seeds that the program sets itself."""
    random.seed(SEED)
    torch.manual_seed(SEED)
{{- if not .Respect}}
    shift(random, "seed")
    shift(torch, "manual_seed")
    pass_seed()
{{- end}}
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(SEED)
{{- if not .Respect}}
    shift(numpy.random, "seed")
{{- end}}
    generator, made = numpy.random.default_rng, []

    def default_rng(seed=None):
        made.append(seed)
        return generator([SEED, made.count(None)] if seed is None else {{if .Respect}}seed{{else}}shifted(seed){{end}})

    numpy.random.default_rng = default_rng

{{if not .Respect}}
def shifted(seed):
    """Returns what becomes of a seed of the program's own."""
    if seed is None:
        return SEED
    return (seed + SEED * 1000003) % 2**32 if isinstance(seed, int) else seed


def shift(module, name):
    own = getattr(module, name)
    setattr(module, name, lambda seed=None, *more: own(shifted(seed), *more))


def pass_seed():
    """Gives --seed to a program that takes one and was not given it."""
    import argparse

    parse = argparse.ArgumentParser.parse_known_args

    def parse_known_args(self, args=None, namespace=None):
        args = list(sys.argv[1:] if args is None else args)
        takes = any("--seed" in action.option_strings and action.nargs is None for action in self._actions)
        if takes and not any(a.split("=")[0] == "--seed" for a in map(str, args)):
            args += ["--seed", str(SEED)]
        return parse(self, args, namespace)

    argparse.ArgumentParser.parse_known_args = parse_known_args

{{end}}
def watch_losses(torch):
    """Ends the program at the first loss that is not finite, and after LOSSES of them."""
    backward, seen = torch.autograd.backward, []

    def finite_backward(tensors, *args, **kwargs):
        for loss in tensors if isinstance(tensors, (list, tuple)) else [tensors]:
            assert torch.isfinite(loss).all(), "loss %d is %s" % (len(seen), loss)
        seen.append(1)
        if len(seen) > LOSSES:
            sys.exit(0)
        return backward(tensors, *args, **kwargs)

    torch.autograd.backward = finite_backward


if __name__ == "__main__":
    train()
