"""Q-learning variants by name: TARGETS["double"], LOSSES["huber"], EXPLORERS["epsilon"]."""

import argparse
import copy
import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class Registry(dict):
    def register(self, name):
        def wrap(item):
            self[name] = item
            return item

        return wrap


TARGETS, LOSSES, EXPLORERS = Registry(), Registry(), Registry()


@TARGETS.register("dqn")
def dqn_target(online, target, batch, gamma):
    with torch.no_grad():
        value = target(batch["s2"]).max(dim=1).values
    return batch["r"] + gamma * value * (1 - batch["d"])


@TARGETS.register("double")
def double_target(online, target, batch, gamma):
    with torch.no_grad():
        best = online(batch["s2"]).argmax(dim=1)
        value = target(batch["s2"]).gather(1, best[:, None])[:, 0]
    return batch["r"] + gamma * value * (1 - batch["d"])


LOSSES["mse"] = F.mse_loss
LOSSES["huber"] = F.smooth_l1_loss


@EXPLORERS.register("epsilon")
def epsilon_greedy(q, step):
    if random.random() < max(0.05, 1.0 - step / 1000):
        return random.randrange(len(q))
    return int(q.argmax())


@EXPLORERS.register("boltzmann")
def boltzmann(q, step):
    return int(torch.multinomial(torch.softmax(q / 0.1, dim=-1), 1))
    # bug DIST023: return int(torch.multinomial(q / 0.1, 1))


def chain(state, action):
    state = max(0, min(6, state + (1 if action else -1)))
    return state, float(state == 6), state == 6


def encode(state):
    return F.one_hot(torch.tensor(state), 7).float()


def collate(rows):
    s, a, r, s2, d = zip(*rows)
    return {
        "s": torch.stack(s),
        "a": torch.tensor(a),
        "r": torch.tensor(r),
        "s2": torch.stack(s2),
        "d": torch.tensor(d, dtype=torch.float32),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", choices=sorted(TARGETS), default="double")
    parser.add_argument("--loss", choices=sorted(LOSSES), default="huber")
    parser.add_argument("--explorer", choices=sorted(EXPLORERS), default="epsilon")
    args = parser.parse_args()
    online = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 2))
    # bug DIST012: online = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 2), nn.ReLU())
    target = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters(), lr=2e-3)
    memory, state = [], 0
    for step in range(3000):
        with torch.no_grad():
            action = EXPLORERS[args.explorer](online(encode(state)), step)
        following, reward, done = chain(state, action)
        memory.append((encode(state), action, reward, encode(following), done))
        state = 0 if done else following
        if len(memory) < 100:
            continue
        batch = collate(random.sample(memory, 32))
        q = online(batch["s"]).gather(1, batch["a"][:, None])[:, 0]
        y = TARGETS[args.target](online, target, batch, 0.95)
        loss = LOSSES[args.loss](q, y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(online.parameters(), 5.0)
        # bug LOOP004: optimizer.step()
        optimizer.step()
        # and: nn.utils.clip_grad_norm_(online.parameters(), 5.0)
        if step % 200 == 0:
            target.load_state_dict(online.state_dict())
            print(step, loss.item())


if __name__ == "__main__":
    main()
