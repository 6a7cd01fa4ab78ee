"""A small stand-in for Accelerate on one process: everything is handed through."""

import contextlib

import torch


class Accelerator:
    """Prepares nothing, and steps in every round."""

    sync_gradients = True

    def prepare(self, *objects):
        return objects if len(objects) > 1 else objects[0]

    @contextlib.contextmanager
    def accumulate(self, *models):
        yield

    def backward(self, loss, **kwargs):
        loss.backward(**kwargs)

    def clip_grad_norm_(self, parameters, max_norm, norm_type=2):
        return torch.nn.utils.clip_grad_norm_(parameters, max_norm, norm_type=norm_type)
