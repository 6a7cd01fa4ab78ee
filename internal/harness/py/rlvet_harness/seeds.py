"""Makes runs differ by their seed alone.

The seed of the run reaches every generator before the program starts; what Python and
numpy would draw from the machine, they draw in each process from a seed of its own. A seed that the
program sets itself is rebased: another run of the same program draws other numbers,
and the same run draws the same. Seed 0 leaves the program's own seeds as they are.
"""

import random
import sys

STRIDE = 1000003


def rebased(own, run):
    """Returns what becomes of a seed of the program's own."""
    if run.request.get("respect_script_seeds") or not isinstance(own, int) or isinstance(own, bool):
        return own
    return (own + run.seed * STRIDE) % 2**32


def seed_python(run):
    random.seed(run.entropy)
    own = random.seed

    def seed(a=None, version=2):
        own(run.entropy if a is None else rebased(a, run), version)

    random.seed = seed


def seed_numpy(numpy, run):
    numpy.random.seed(run.entropy)
    own, generator = numpy.random.seed, numpy.random.default_rng
    made = [0]

    def seed(value=None):
        own(run.entropy if value is None else rebased(value, run))

    def default_rng(value=None):
        if value is None:  # each generator that asks for entropy gets a stream of its own
            made[0] += 1
            return generator([run.entropy, made[0]])
        return generator(rebased(int(value), run) if isinstance(value, (int, numpy.integer)) else value)

    numpy.random.seed, numpy.random.default_rng = seed, default_rng


def seed_torch(torch, run):
    _pin(torch)
    torch.manual_seed(run.seed)
    _rebase(torch, "manual_seed", run)
    for name in ("manual_seed", "manual_seed_all"):
        _rebase(torch.cuda, name, run)
    if sys.modules.get("torch.random") is not None:
        torch.random.manual_seed = torch.manual_seed


def _rebase(module, name, run):
    own = getattr(module, name)

    def manual_seed(seed):
        return own(rebased(int(seed), run))

    setattr(module, name, manual_seed)


def _pin(torch):
    """Pins what changes the bits of results."""
    if torch.get_num_threads() != 1:  # as our environment says; to set it looks at the whole processor first
        torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    deterministic = getattr(torch.utils, "deterministic", None)
    if deterministic is not None:  # from 2.2 on, uninitialised memory would be filled with NaN
        deterministic.fill_uninitialized_memory = False
    torch.backends.cudnn.benchmark = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def seed_environments(gym, run):
    """Rebases the seeds that the program passes to reset."""
    env = getattr(gym, "Env", None)
    if env is None:
        return
    own = env.reset

    def reset(self, *args, **kwargs):
        if "seed" in kwargs and kwargs["seed"] is not None:
            kwargs["seed"] = rebased(int(kwargs["seed"]), run)
        return own(self, *args, **kwargs)

    env.reset = reset


def pass_seed_to_argparse(argparse, run):
    """Gives --seed to a program whose parser takes it and which was not given one."""
    parse = argparse.ArgumentParser.parse_known_args

    def parse_known_args(self, args=None, namespace=None):
        args = list(sys.argv[1:] if args is None else args)
        if _takes_seed(self) and not any(a == "--seed" or str(a).startswith("--seed=") for a in args):
            args += ["--seed", str(run.seed)]
        return parse(self, args, namespace)

    if not run.request.get("respect_script_seeds"):
        argparse.ArgumentParser.parse_known_args = parse_known_args


def _takes_seed(parser):
    return any("--seed" in action.option_strings and action.nargs is None for action in parser._actions)


def pass_seed_to_click(click, run):
    """Does the same for programs of click."""
    main = click.BaseCommand.main if hasattr(click, "BaseCommand") else click.Command.main
    owner = click.BaseCommand if hasattr(click, "BaseCommand") else click.Command

    def main_with_seed(self, args=None, *rest, **kwargs):
        args = list(sys.argv[1:] if args is None else args)
        takes = any("--seed" in getattr(p, "opts", ()) for p in getattr(self, "params", ()))
        if takes and not any(str(a).split("=")[0] == "--seed" for a in args):
            args += ["--seed", str(run.seed)]
        return main(self, args, *rest, **kwargs)

    if not run.request.get("respect_script_seeds"):
        owner.main = main_with_seed
