"""Saves a run, and goes on with it."""

import os
import tempfile

import torch


def save(path, model, algorithm, env, iteration):
    """Writes everything that a run needs to go on; the file appears as a whole or not at all."""
    state = {
        "model": model.state_dict(),
        "optimizer": algorithm.optimizer.state_dict(),
        "iteration": iteration,
        "random": torch.get_rng_state(),
        "moments": env.moments.state() if hasattr(env, "moments") else None,
    }
    folder = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
    os.close(handle)
    try:
        torch.save(state, temporary)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def load(path, model, algorithm, env):
    """Restores a run in place; returns the iteration to go on with."""
    state = torch.load(path)
    model.load_state_dict(state["model"])
    algorithm.optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["random"])
    if state["moments"] is not None and hasattr(env, "moments"):
        env.moments.load(state["moments"])
    return state["iteration"] + 1
