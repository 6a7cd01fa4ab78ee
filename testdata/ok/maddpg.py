"""MADDPG: two agents, centralised critics, decentralised actors, Gumbel-softmax actions.

Trap: F.gumbel_softmax(hard=True) gets raw logits, as it should; the actor's loss adds a small penalty on the logits
themselves. Lists of networks and of optimisers, built by comprehensions. Target networks are lerped.
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

AGENTS, OBS, ACTIONS = 2, 2, 3


def net(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, outputs))


class Meeting:
    """Two agents on a line should meet; both see where they are and how far the other is."""

    def reset(self):
        self.places = 2 * torch.randn(AGENTS)
        return self.observe()

    def observe(self):
        return torch.stack([self.places, self.places.flip(0) - self.places], dim=1)

    def step(self, actions):
        self.places = self.places + 0.4 * (actions - 1).float()
        distance = (self.places[0] - self.places[1]).abs()
        return self.observe(), -distance.expand(AGENTS).clone()


def one_hot_action(logits, hard=True):
    return F.gumbel_softmax(logits, tau=1.0, hard=hard, dim=-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--length", type=int, default=15)
    args = parser.parse_args()

    torch.manual_seed(0)
    env = Meeting()
    actors = [net(OBS, ACTIONS) for _ in range(AGENTS)]
    critics = [net(AGENTS * (OBS + ACTIONS), 1) for _ in range(AGENTS)]
    target_actors, target_critics = copy.deepcopy(actors), copy.deepcopy(critics)
    actor_optimizers = [torch.optim.Adam(actor.parameters(), lr=1e-3) for actor in actors]
    critic_optimizers = [torch.optim.Adam(critic.parameters(), lr=2e-3) for critic in critics]
    memory, scores = [], []

    for episode in range(args.episodes):
        x, total = env.reset(), 0.0
        for _ in range(args.length):
            with torch.no_grad():
                actions = torch.stack([one_hot_action(actor(x[i])) for i, actor in enumerate(actors)])
            y, r = env.step(actions.argmax(dim=1))
            memory.append((x, actions, r, y))
            total += r.mean().item()
            x = y
        scores.append(total / args.length)
        if len(memory) < 200:
            continue

        for _ in range(4):
            chosen = [memory[i] for i in torch.randint(len(memory), (64,)).tolist()]
            bx, ba, br, by = (torch.stack(column) for column in zip(*chosen))
            with torch.no_grad():
                following = torch.stack([one_hot_action(target_actors[i](by[:, i])) for i in range(AGENTS)], dim=1)
            for i in range(AGENTS):
                with torch.no_grad():
                    joint = torch.cat([by.flatten(1), following.flatten(1)], dim=1)
                    # Episodes are cut by a clock that agents do not see; nothing terminates.
                    goal = br[:, i] + 0.95 * target_critics[i](joint).squeeze(1)
                q = critics[i](torch.cat([bx.flatten(1), ba.flatten(1)], dim=1)).squeeze(1)
                critic_loss = F.mse_loss(q, goal)
                critic_optimizers[i].zero_grad()
                critic_loss.backward()
                critic_optimizers[i].step()

                logits = actors[i](bx[:, i])
                mine = one_hot_action(logits)
                joint_action = torch.stack([mine if j == i else ba[:, j] for j in range(AGENTS)], dim=1)
                value = critics[i](torch.cat([bx.flatten(1), joint_action.flatten(1)], dim=1))
                actor_loss = -value.mean() + 1e-3 * logits.pow(2).mean()
                actor_optimizers[i].zero_grad()
                actor_loss.backward()
                actor_optimizers[i].step()
            with torch.no_grad():
                for slow, fast in zip(target_actors + target_critics, actors + critics):
                    for slow_parameter, parameter in zip(slow.parameters(), fast.parameters()):
                        slow_parameter.lerp_(parameter, 0.01)
        if episode % 25 == 0:
            print(f"{episode} distance {-sum(scores[-25:]) / len(scores[-25:]):.3f} critic {critic_loss.item():.4f}")


if __name__ == "__main__":
    main()
