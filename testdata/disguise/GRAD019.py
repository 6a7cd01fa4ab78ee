"""Custom autograd Functions whose backward is not the derivative of their forward."""

import torch
from torch.autograd import Function


class Square(Function):
    """A factor is missing."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x  # bug: GRAD019


class Cosine(Function):
    """The sign is wrong."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.cos(x)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.sin()  # bug: GRAD019


class Sigmoid(Function):
    """The derivative is written for the output, but the input was saved."""

    @staticmethod
    def forward(ctx, x):
        y = 1.0 / (1.0 + torch.exp(-x))
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y * (1 - y)  # bug: GRAD019


class ScaledTanh(Function):
    """The chain rule forgets the inner scale."""

    @staticmethod
    def forward(ctx, x, a):
        y = torch.tanh(a * x)
        ctx.save_for_backward(y)
        ctx.a = a
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 - y ** 2), None  # bug: GRAD019


class Softplus(Function):
    """The incoming gradient is dropped."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log1p(torch.exp(x))

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return torch.sigmoid(x)  # bug: GRAD019


class Product(Function):
    """The two gradients are exchanged."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * a, g * b  # bug: GRAD019


class Quotient(Function):
    """The denominator's power is wrong."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a / b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        ga = g / b
        gb = -g * a / b  # bug: GRAD019
        return ga, gb


class Exponential(Function):
    """The derivative of exp(-x^2 / 2) lost its -x."""

    @staticmethod
    def forward(ctx, x):
        y = torch.exp(-0.5 * x.pow(2))
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y  # bug: GRAD019


class LeakyReLU(Function):
    """The slope of the negative side is forgotten."""

    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return torch.where(x > 0, g, torch.zeros_like(g)), None  # bug: GRAD019


class Reciprocal(Function):
    """A helper computes the gradient, without the square."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1.0 / x

    @staticmethod
    def slope(x):
        return -1.0 / x

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * Reciprocal.slope(x)  # bug: GRAD019


class SwishParts(Function):
    """The product rule keeps one of its two terms."""

    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(x)
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors
        d = x * s * (1 - s)
        return g * d  # bug: GRAD019


class SumOfLogs(Function):
    """A constant offset was added to the derivative."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log(x) + x

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g / x + g + 0.1  # bug: GRAD019


def cases():
    x = torch.rand(5) + 0.5
    return [
        (Square, (x,)), (Cosine, (x,)), (Sigmoid, (x,)), (ScaledTanh, (x, 1.7)), (Softplus, (x,)), (Product, (x, x + 1)),
        (Quotient, (x, x + 1)), (Exponential, (x,)), (LeakyReLU, (x - 1, 0.1)), (Reciprocal, (x,)), (SwishParts, (x,)),
        (SumOfLogs, (x,)),
    ]


def agrees(function, inputs):
    tensors = [i.double().requires_grad_(True) if torch.is_tensor(i) else i for i in inputs]
    return torch.autograd.gradcheck(function.apply, tensors, raise_exception=False)


if __name__ == "__main__":
    for function, inputs in cases():
        print(function.__name__, agrees(function, inputs))
