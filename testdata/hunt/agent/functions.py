"""Differentiable functions with derivatives by hand.

Each keeps for backward only what it needs, which is what makes them smaller than the
graph that autograd would build. They are for inputs of any shape; statistics are
taken over the last axis.
"""

import math

import torch
from torch.autograd import Function


class SquaredReLUFunction(Function):
    """max(x, 0) squared."""

    @staticmethod
    def forward(ctx, x):
        positive = x.clamp(min=0)
        ctx.save_for_backward(positive)
        return positive * positive

    @staticmethod
    def backward(ctx, grad_output):
        (positive,) = ctx.saved_tensors
        return 2 * positive * grad_output


class RMSNormFunction(Function):
    """x over its root mean square."""

    @staticmethod
    def forward(ctx, x, eps):
        inverse = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
        out = x * inverse
        ctx.save_for_backward(out, inverse)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        out, inverse = ctx.saved_tensors
        along = (grad_output * out).mean(-1, keepdim=True)
        return inverse * (grad_output - out * along), None


class GateFunction(Function):
    """x times the sigmoid of a gate's pre-activation."""

    @staticmethod
    def forward(ctx, x, pre):
        weight = torch.exp(pre)
        opening = weight / (1 + weight)
        ctx.save_for_backward(x, opening)
        return x * opening

    @staticmethod
    def backward(ctx, grad_output):
        x, opening = ctx.saved_tensors
        grad_pre = grad_output * x * opening
        return grad_output * opening, grad_pre


class SoftClampFunction(Function):
    """Goes from -limit to limit like a tanh, with slope one at zero."""

    @staticmethod
    def forward(ctx, x, limit):
        ratio = torch.tanh(x / limit)
        ctx.save_for_backward(ratio)
        return limit * ratio

    @staticmethod
    def backward(ctx, grad_output):
        (ratio,) = ctx.saved_tensors
        return grad_output * (1 - ratio * ratio), None


class MaskedSoftmaxFunction(Function):
    """A softmax over the places where the mask holds; a row without any is zero."""

    @staticmethod
    def forward(ctx, scores, mask):
        scores = scores.masked_fill(~mask, -math.inf)
        largest = scores.amax(-1, keepdim=True)
        largest = torch.where(torch.isfinite(largest), largest, torch.zeros_like(largest))
        weights = torch.exp(scores - largest)
        total = weights.sum(-1, keepdim=True)
        out = weights / total.clamp(min=1e-20)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        (out,) = ctx.saved_tensors
        inner = (grad_output * out).sum(-1, keepdim=True)
        return out * (grad_output - inner), None


class ScaleGradientFunction(Function):
    """The identity, whose gradient is multiplied: how much a head may say about what it shares."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.scale * grad_output, None


def squared_relu(x):
    return SquaredReLUFunction.apply(x)


def rms_norm(x, eps=1e-6):
    return RMSNormFunction.apply(x, eps)


def gate(x, pre):
    return GateFunction.apply(x, pre)


def soft_clamp(x, limit):
    return SoftClampFunction.apply(x, limit)


def masked_softmax(scores, mask):
    return MaskedSoftmaxFunction.apply(scores, mask)


def scale_gradient(x, scale):
    return ScaleGradientFunction.apply(x, scale)
