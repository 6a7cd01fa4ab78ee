"""A layer norm that keeps what backward needs and nothing else."""
import torch


class Normalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        centred = x - x.mean(-1, keepdim=True)
        inverse = torch.rsqrt((centred * centred).mean(-1, keepdim=True) + eps)
        out = centred * inverse
        ctx.save_for_backward(out, inverse)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        out, inverse = ctx.saved_tensors
        mean = grad_output.mean(-1, keepdim=True)
        grad_input = inverse * (grad_output - mean)
        return grad_input, None  # first bad


class Norm(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.ones(width))
        self.shift = torch.nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return Normalise.apply(x, 1e-5) * self.gain + self.shift
