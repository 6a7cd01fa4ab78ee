"""Two outputs, and an integer one without a gradient."""

import torch


class Polar(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        radius = torch.sqrt(a * a + b * b)
        angle = torch.atan2(b, a)
        quadrant = (a > 0).long()
        ctx.mark_non_differentiable(quadrant)
        ctx.save_for_backward(a, b, radius)
        return radius, angle, quadrant

    @staticmethod
    def backward(ctx, gr, ga, gq):
        a, b, radius = ctx.saved_tensors
        square = radius * radius
        return gr * a / radius - ga * b / square, gr * b / radius + ga * a / square


if __name__ == "__main__":
    a, b = torch.randn(9, 4, requires_grad=True), torch.randn(9, 4, requires_grad=True)
    radius, angle, quadrant = Polar.apply(a, b)
    (radius + 3 * angle).sum().backward()
