"""Classes that contain, inherit, make and annotate themselves."""
from dataclasses import dataclass, field
from typing import NamedTuple

import torch


class Loop:
    class Loop:
        pass

    Loop.Loop = Loop
    Loop = Loop.Loop


Loop.Loop = Loop
Loop.Loop.Loop.Loop().Loop()


class A(Loop.Loop):
    def f(self, x):
        return super().f(super().g(x))

    @classmethod
    def make(cls):
        return cls.make().make()

    @staticmethod
    def still(x):
        return A.still(A.make().still(x))


class B(A):
    def f(self, x):
        return super(B, self).f(self.g(x))

    def g(self, x):
        return super().f(super().make().g(x))


while input():

    class A(B, A):
        def f(self, x):
            return super().f(super().g(x)) + super().__getattribute__("f")(x)

    class B(A, B, Loop):
        f = A.f if A else B.g
        g = property(f)
        __init__ = f

    A().f(B().g(1))
    B(A(B)).make().still(A)


@dataclass
class Tree:
    left: "Tree" = field(default_factory=lambda: Tree())
    right: "Forest" = field(default_factory=lambda: Forest(Tree()))

    def __post_init__(self):
        self.left = Tree(self.right, self)


class Forest(NamedTuple):
    first: Tree
    rest: "Forest" = Tree(Tree(), Tree())


class Node:
    def __init__(self, node: "Node", tree: Tree, forest: Forest):
        self.node, self.tree = Node(node, tree, forest), tree.left.right.first


def visit(node: Node, tree: Tree, forest: Forest):
    return visit(node.node, tree.left, forest.rest) + visit(*forest)


def advantages(rewards):
    r = torch.tensor(rewards)
    return (r - r.mean()) / r.std()  # bug: ADV009


print(advantages([1.0, 0.0, 2.0]))
