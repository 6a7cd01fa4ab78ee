"""What observations and actions look like."""

import dataclasses

import torch


@dataclasses.dataclass(frozen=True)
class Box:
    """Real vectors of a size."""

    size: int

    def zeros(self, *shape):
        return torch.zeros(*shape, self.size)


@dataclasses.dataclass(frozen=True)
class Discrete:
    """One of n actions."""

    n: int

    def sample(self, count):
        return torch.randint(self.n, (count,))


@dataclasses.dataclass(frozen=True)
class Entities:
    """A set of at most count things, each a vector of a size, with a mask of which there are."""

    count: int
    size: int

    def zeros(self, *shape):
        return torch.zeros(*shape, self.count, self.size)

    def mask(self, *shape):
        return torch.zeros(*shape, self.count, dtype=torch.bool)


@dataclasses.dataclass
class Observation:
    """What the agent sees: itself [N, S], the things around it [N, K, F], and which of them there are [N, K]."""

    body: torch.Tensor
    things: torch.Tensor
    present: torch.Tensor

    def __len__(self):
        return len(self.body)

    def __getitem__(self, rows):
        return Observation(self.body[rows], self.things[rows], self.present[rows])

    def flatten(self):
        """Joins the first two axes, time and world."""
        return Observation(self.body.flatten(0, 1), self.things.flatten(0, 1), self.present.flatten(0, 1))

    @staticmethod
    def stack(observations):
        """Stacks observations along a new first axis."""
        return Observation(
            torch.stack([o.body for o in observations]),
            torch.stack([o.things for o in observations]),
            torch.stack([o.present for o in observations]),
        )

    @staticmethod
    def where(condition, a, b):
        """Takes rows from a where the condition holds, and from b elsewhere."""
        return Observation(
            torch.where(condition[:, None], a.body, b.body),
            torch.where(condition[:, None, None], a.things, b.things),
            torch.where(condition[:, None], a.present, b.present),
        )
