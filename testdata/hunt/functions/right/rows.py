"""Rows of a table by integers, some taken twice."""

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
        return grad.index_add_(0, index, g), None


if __name__ == "__main__":
    table = torch.randn(200, 30, requires_grad=True)
    index = torch.randint(0, 200, (64,))
    Rows.apply(table, index).pow(2).sum().backward()
