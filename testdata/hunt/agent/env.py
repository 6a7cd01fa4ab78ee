"""Worlds to play in. All are batched: a step moves every world at once.

An environment has `body_space`, `thing_space` and `action_space`, and two methods in the
style of gym: `reset()` returns an Observation, and `step(actions)` an Observation, the
rewards [N], what is over [N], and a dict. A world that is over begins anew by itself; the
observation before that is under `final` in the dict.
"""

import torch

from spaces import Box, Discrete, Entities, Observation


class VectorEnv:
    """What the environments share: time, and beginning anew."""

    def __init__(self, worlds, horizon):
        self.worlds, self.horizon = worlds, horizon
        self.time = torch.zeros(worlds, dtype=torch.long)

    def reset(self):
        everyone = torch.ones(self.worlds, dtype=torch.bool)
        self.time.zero_()
        self.begin(everyone)
        return self.observe()

    def step(self, actions):
        if actions.shape != (self.worlds,):
            raise ValueError("expected %d actions, got %s" % (self.worlds, tuple(actions.shape)))
        rewards, terminated = self.advance(actions)
        self.time += 1
        truncated = (self.time >= self.horizon) & ~terminated
        final, over = self.observe(), terminated | truncated
        if bool(over.any()):
            self.time[over] = 0
            self.begin(over)
        info = {"final": final, "terminated": terminated, "truncated": truncated}
        return self.observe(), rewards, over, info

    def clock(self):
        """Returns how much of the time is over, in [0, 1]."""
        return (self.time.float() / self.horizon)[:, None]

    def begin(self, which):
        raise NotImplementedError

    def advance(self, actions):
        raise NotImplementedError

    def observe(self):
        raise NotImplementedError


class Forage(VectorEnv):
    """A field with food and poison; whoever touches a thing eats it.

    How rich a field is, is drawn once for all worlds of a run; now and then there is a
    bumper year.
    """

    reach, stride, cost, bumper = 0.25, 0.2, 0.01, 0.1
    moves = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])

    def __init__(self, worlds, horizon, items):
        super().__init__(worlds, horizon)
        self.items = items
        bumper = bool(torch.rand(()) < self.bumper)
        self.richness = (60.0 if bumper else 0.5) + float(torch.rand(()))
        self.place = torch.zeros(worlds, 2)
        self.at = torch.zeros(worlds, items, 2)
        self.worth = torch.zeros(worlds, items)
        self.there = torch.zeros(worlds, items, dtype=torch.bool)
        self.body_space, self.thing_space = Box(4), Entities(items, 4)
        self.action_space = Discrete(len(self.moves))

    def begin(self, which):
        n = int(which.sum())
        self.place[which] = 0.2 * torch.randn(n, 2)
        self.at[which] = 2 * torch.rand(n, self.items, 2) - 1
        kinds = torch.where(torch.rand(n, self.items) < 0.75, 1.0, -0.5)
        self.worth[which] = kinds * (0.5 + torch.rand(n, self.items)) * self.richness
        self.there[which] = True

    def advance(self, actions):
        self.place = (self.place + self.stride * self.moves[actions]).clamp(-1.2, 1.2)
        near = (self.at - self.place[:, None]).abs().amax(-1) < self.reach
        eaten = near & self.there
        rewards = (self.worth * eaten).sum(-1) - self.cost * (actions != 0).float()
        self.there = self.there & ~eaten
        food = self.there & (self.worth > 0)
        return rewards, ~food.any(-1)

    def observe(self):
        offset = self.at - self.place[:, None]
        food = (self.worth > 0).float()
        things = torch.cat([offset, food[..., None], self.worth[..., None] / self.richness], -1)
        things = things * self.there[..., None]
        edge = self.place.abs().amax(-1, keepdim=True)
        body = torch.cat([self.place, edge, self.clock()], -1)
        return Observation(body, things, self.there.clone())


class Pole(VectorEnv):
    """A pole on a cart, pushed left or right; the one thing around is where the track ends."""

    gravity, length, step_size, limit = 9.8, 0.5, 0.05, 2.4

    def __init__(self, worlds, horizon, items=1):
        super().__init__(worlds, horizon)
        self.state = torch.zeros(worlds, 4)
        self.body_space, self.thing_space = Box(5), Entities(1, 2)
        self.action_space = Discrete(2)

    def begin(self, which):
        self.state[which] = 0.1 * torch.rand(int(which.sum()), 4) - 0.05

    def advance(self, actions):
        x, speed, angle, spin = self.state.unbind(-1)
        force = 10.0 * (2 * actions.float() - 1)
        sine, cosine = torch.sin(angle), torch.cos(angle)
        push = (force + 0.05 * spin * spin * sine) / 1.1
        turn = (self.gravity * sine - cosine * push) / (self.length * (4 / 3 - 0.1 * cosine * cosine / 1.1))
        pull = push - 0.05 * turn * cosine / 1.1
        h = self.step_size
        self.state = torch.stack([x + h * speed, speed + h * pull, angle + h * spin, spin + h * turn], -1)
        fell = (self.state[:, 0].abs() > self.limit) | (self.state[:, 2].abs() > 0.4)
        return torch.ones(self.worlds), fell

    def observe(self):
        things = torch.stack([self.limit - self.state[:, :1], self.limit + self.state[:, :1]], -1)
        body = torch.cat([self.state, self.clock()], -1)
        return Observation(body, things, torch.ones(self.worlds, 1, dtype=torch.bool))


class Relay(VectorEnv):
    """A row of lamps; light them from left to right. Every wrong switch puts all of them out."""

    def __init__(self, worlds, horizon, items):
        super().__init__(worlds, horizon)
        self.items = items
        self.order = torch.zeros(worlds, items, dtype=torch.long)
        self.lit = torch.zeros(worlds, dtype=torch.long)
        self.body_space, self.thing_space = Box(2), Entities(items, 3)
        self.action_space = Discrete(items)

    def begin(self, which):
        n = int(which.sum())
        self.order[which] = torch.rand(n, self.items).argsort(-1)
        self.lit[which] = 0

    def advance(self, actions):
        wanted = self.order.gather(1, self.lit.clamp(max=self.items - 1)[:, None]).squeeze(1)
        right = actions == wanted
        self.lit = torch.where(right, self.lit + 1, torch.zeros_like(self.lit))
        done = self.lit == self.items
        return right.float() / self.items + done.float() - 0.05, done

    def observe(self):
        rank = self.order.argsort(-1).float()
        lit = (rank < self.lit[:, None]).float()
        upcoming = (rank == self.lit[:, None]).float()
        things = torch.stack([rank / self.items, lit, upcoming], -1)
        body = torch.cat([self.lit[:, None].float() / self.items, self.clock()], -1)
        return Observation(body, things, torch.ones(self.worlds, self.items, dtype=torch.bool))


REGISTRY = {"forage": Forage, "pole": Pole, "relay": Relay}


def make(config, worlds=None):
    """Returns the environment that the settings name."""
    if config.name not in REGISTRY:
        raise ValueError("no environment %r; there are %s" % (config.name, ", ".join(sorted(REGISTRY))))
    return REGISTRY[config.name](worlds or config.worlds, config.horizon, config.items)
