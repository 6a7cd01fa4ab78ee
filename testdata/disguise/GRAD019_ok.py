"""Custom autograd Functions whose backward is the derivative of their forward, or is a surrogate on purpose."""

import torch
from torch.autograd import Function


class Square(Function):
    """y = x^2."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * grad_output * x


class Cosine(Function):
    """y = cos x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.cos(x)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return -g * x.sin()


class Sigmoid(Function):
    """y = sigmoid(x); dy/dx = y (1 - y)."""

    @staticmethod
    def forward(ctx, x):
        y = 1.0 / (1.0 + torch.exp(-x))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y * (1 - y)


class ScaledTanh(Function):
    """y = tanh(a x)."""

    @staticmethod
    def forward(ctx, x, a):
        y = torch.tanh(a * x)
        ctx.save_for_backward(y)
        ctx.a = a
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * ctx.a * (1 - y ** 2), None


class Softplus(Function):
    """y = log(1 + e^x)."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log1p(torch.exp(x))

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * torch.sigmoid(x)


class Product(Function):
    """y = a b."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a


class Quotient(Function):
    """y = a / b."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a / b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        ga = g / b
        gb = -g * a / (b * b)
        return ga, gb


class Exponential(Function):
    """y = exp(-x^2 / 2)."""

    @staticmethod
    def forward(ctx, x):
        y = torch.exp(-0.5 * x.pow(2))
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return -g * x * y


class LeakyReLU(Function):
    """y = x where positive, slope x elsewhere."""

    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return torch.where(x > 0, g, ctx.slope * g), None


class Reciprocal(Function):
    """y = 1 / x, with the gradient in a helper."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1.0 / x

    @staticmethod
    def slope(x):
        return -1.0 / x ** 2

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * Reciprocal.slope(x)


class SwishParts(Function):
    """y = x sigmoid(x)."""

    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(x)
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors
        d = s + x * s * (1 - s)
        return g * d


class SumOfLogs(Function):
    """y = log(x) + x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log(x) + x

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g / x + g


class StraightThroughRound(Function):
    """Rounds forwards and passes the gradient straight through."""

    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, g):
        return g


class StraightThroughSign(Function):
    """The gradient passes where |x| <= 1."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sign(x)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * (x.abs() <= 1).float()


class ReverseGradient(Function):
    """The identity forwards, the negated gradient backwards, as in domain-adversarial training."""

    @staticmethod
    def forward(ctx, x, weight):
        ctx.weight = weight
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.weight * g, None


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
