"""Collects what the agent lives through, and turns it into batches."""

import dataclasses

import torch

from spaces import Observation


@dataclasses.dataclass
class Batch:
    """Rows of a rollout, in any order: all [B], but for the observation."""

    observation: Observation
    actions: torch.Tensor
    logp: torch.Tensor
    values: torch.Tensor
    advantages: torch.Tensor
    returns: torch.Tensor

    def __len__(self):
        return len(self.actions)

    def __getitem__(self, rows):
        return Batch(*(getattr(self, f.name)[rows] for f in dataclasses.fields(self)))


class Buffer:
    """The steps of one rollout, [T, N] each."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.observations, self.actions, self.logps, self.values = [], [], [], []
        self.rewards, self.over, self.final_values = [], [], []

    def add(self, observation, actions, logp, values, rewards, over, final_values):
        self.observations.append(observation)
        self.actions.append(actions)
        self.logps.append(logp)
        self.values.append(values)
        self.rewards.append(rewards)
        self.over.append(over)
        self.final_values.append(final_values)

    def __len__(self):
        return len(self.actions)

    def finish(self, last_values, gamma, lam):
        """Returns all steps as one batch, with advantages and returns."""
        values, rewards = torch.stack(self.values), torch.stack(self.rewards)
        over, final = torch.stack(self.over), torch.stack(self.final_values)
        after = torch.cat([values[1:], last_values[None]])
        after = torch.where(over, final, after)
        advantages = generalised_advantages(rewards, values, after, over, gamma, lam)
        return Batch(
            Observation.stack(self.observations).flatten(),
            torch.stack(self.actions).flatten(),
            torch.stack(self.logps).flatten(),
            values.flatten(),
            advantages.flatten(),
            (advantages + values).flatten(),
        )


def generalised_advantages(rewards, values, after, over, gamma, lam):
    """GAE along the first axis.

    after holds the value of what follows each step: zero where the episode ended, and
    that of the last observation where time ran out.
    """
    deltas = rewards + gamma * after - values
    out, running = torch.zeros_like(rewards), torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        running = deltas[t] + gamma * lam * (~over[t]).float() * running
        out[t] = running
    return out


class Collector:
    """Plays in an environment, and goes on where it stopped."""

    def __init__(self, env, model):
        self.env, self.model, self.buffer = env, model, Buffer()
        self.observation = env.reset()
        self.episodes, self.steps = [], 0

    def collect(self, steps, gamma, lam):
        """Returns a batch of the next steps of all worlds."""
        self.buffer.clear()
        for _ in range(steps):
            self._step()
        with torch.no_grad():
            last = self.model.value(self.observation)
        return self.buffer.finish(last, gamma, lam)

    def _step(self):
        actions, logp, values = self.model.act(self.observation)
        observation, rewards, over, info = self.env.step(actions)
        final = torch.zeros_like(values)
        if bool(info["truncated"].any()):
            with torch.no_grad():
                final = torch.where(info["truncated"], self.model.value(info["final"]), final)
        self.buffer.add(self.observation, actions, logp, values, rewards, over, final)
        self.episodes.extend(info["episodes"])
        self.observation = observation
        self.steps += len(actions)

    def take_episodes(self):
        """Returns the episodes that ended since the last call."""
        episodes, self.episodes = self.episodes, []
        return episodes


def minibatches(batch, count):
    """Yields parts of a batch, in random order; none of them has a single row."""
    for rows in torch.randperm(len(batch)).chunk(count):
        if len(rows) > 1:
            yield batch[rows]
