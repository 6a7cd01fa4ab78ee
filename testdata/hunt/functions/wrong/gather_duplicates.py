# pattern: none
"""Rows that are taken twice get the gradient of one of them."""

import torch


class Rows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, table, index):
        ctx.save_for_backward(index)
        ctx.shape = table.shape
        return table[index]

    @staticmethod
    def backward(ctx, g):
        (index,) = ctx.saved_tensors
        grad = torch.zeros(ctx.shape, dtype=g.dtype)
        grad[index] = g  # bug
        return grad, None


if __name__ == "__main__":
    table = torch.randn(6, 3, requires_grad=True)
    index = torch.tensor([0, 2, 2, 5, 1, 3, 4, 4])
    Rows.apply(table, index).pow(2).sum().backward()
