"""IMPALA: actors act with stale weights, the learner corrects with V-trace.

Trap: exp(log-ratio) is clamped from above only, at rho_bar and c_bar; these are truncated importance weights and no
PPO clip. The log-rhos are a function's argument. Everything inside V-trace is without gradient.
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 64), nn.ReLU())
        self.policy, self.baseline = nn.Linear(64, 2), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return self.policy(h), self.baseline(h).squeeze(-1)


class Balance:
    """Stay on a seesaw; falling off ends an episode and starts the next."""

    def __init__(self, count):
        self.state = torch.zeros(count, 2)

    def observe(self):
        return torch.cat([self.state, torch.ones(self.state.size(0), 1)], dim=1)

    def step(self, action):
        tilt, speed = self.state.unbind(1)
        speed = speed + 0.1 * tilt + 0.2 * (action * 2 - 1) + 0.1 * torch.randn_like(tilt)
        tilt = tilt + 0.2 * speed
        fell = tilt.abs() > 1.5
        self.state = torch.stack([tilt, speed], dim=1) * (~fell).float().unsqueeze(1)
        return self.observe(), 1.0 - 2.0 * fell.float(), 1.0 - fell.float()


@torch.no_grad()
def act(model, env, steps):
    out = {"x": [env.observe()], "logits": [], "action": [], "reward": [], "alive": []}
    for _ in range(steps):
        logits, _ = model(out["x"][-1])
        action = torch.multinomial(F.softmax(logits, dim=1), num_samples=1).squeeze(1)
        x, reward, alive = env.step(action)
        for key, value in (("x", x), ("logits", logits), ("action", action), ("reward", reward), ("alive", alive)):
            out[key].append(value)
    return {key: torch.stack(value) for key, value in out.items()}


def action_log_probs(logits, actions):
    return -F.cross_entropy(logits.flatten(0, 1), actions.flatten(), reduction="none").view_as(actions)


@torch.no_grad()
def from_importance_weights(log_rhos, discounts, rewards, values, bootstrap, clip_rho=1.0, clip_c=1.0):
    rhos = torch.exp(log_rhos)
    clipped_rhos = torch.clamp(rhos, max=clip_rho)
    cs = torch.clamp(rhos, max=clip_c)
    next_values = torch.cat([values[1:], bootstrap.unsqueeze(0)], dim=0)
    deltas = clipped_rhos * (rewards + discounts * next_values - values)
    acc, corrections = torch.zeros_like(bootstrap), []
    for t in range(discounts.shape[0] - 1, -1, -1):
        acc = deltas[t] + discounts[t] * cs[t] * acc
        corrections.append(acc)
    vs = torch.stack(corrections[::-1]) + values
    next_vs = torch.cat([vs[1:], bootstrap.unsqueeze(0)], dim=0)
    return vs, clipped_rhos * (rewards + discounts * next_vs - values)


def learn(model, optimizer, batch, gamma, entropy_cost):
    logits, values = model(batch["x"])
    logits, values, bootstrap = logits[:-1], values[:-1], values[-1]
    log_probs = action_log_probs(logits, batch["action"])
    behaviour_log_probs = action_log_probs(batch["logits"], batch["action"])
    vs, advantages = from_importance_weights(
        (log_probs - behaviour_log_probs).detach(), gamma * batch["alive"], batch["reward"],
        values.detach(), bootstrap.detach())
    pg_loss = -(log_probs * advantages).mean()
    baseline_loss = 0.5 * (vs - values).pow(2).mean()
    table = F.log_softmax(logits, dim=-1)
    entropy_loss = (table.exp() * table).sum(-1).mean()
    loss = pg_loss + 0.5 * baseline_loss + entropy_cost * entropy_loss
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 40.0)
    optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=400)
    parser.add_argument("--lag", type=int, default=4, help="updates between copies of the weights to the actor")
    args = parser.parse_args()
    torch.manual_seed(0)
    learner = Net()
    actor = copy.deepcopy(learner)
    optimizer = torch.optim.RMSprop(learner.parameters(), lr=1e-3, eps=0.01)
    env = Balance(16)
    for update in range(args.updates):
        if update % args.lag == 0:
            actor.load_state_dict(learner.state_dict())
        batch = act(actor, env, 20)
        loss = learn(learner, optimizer, batch, gamma=0.97, entropy_cost=0.01)
        if update % 50 == 0:
            print(f"{update} reward {batch['reward'].mean():.3f} loss {loss:.3f}")


if __name__ == "__main__":
    main()
