# kind: environment; seeds: 0,1; failing: 0,1
"""REINFORCE with a bonus for rare states, from counts in numpy."""
import numpy as np
import torch

SEED = 0
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)
STATES = 8


class Stairs:
    """Up or down a stair of eight steps; slips now and then."""

    def reset(self):
        self.at, self.t = 3, 0
        return self.at

    def step(self, action):
        move = 1 if action else -1
        if rng.random() < 0.2:
            move = -move
        self.at = int(np.clip(self.at + move, 0, STATES - 1))
        self.t += 1
        return self.at, float(self.at == STATES - 1), self.t == 6


class Counts:
    def __init__(self):
        self.visits = np.zeros(STATES)

    def see(self, states):
        np.add.at(self.visits, states, 1)

    def bonus(self, states):
        """Minus the log of the share of a state in what was seen so far."""
        share = self.visits / max(1.0, self.visits.sum())
        surprise = -np.log(share)  # first bad
        return 0.05 * surprise[states]


env, counts = Stairs(), Counts()
table = torch.nn.Parameter(torch.zeros(STATES, 2))
optimizer = torch.optim.Adam([table], lr=0.05)
for episode in range(25):
    state, done, states, actions, rewards, reached = env.reset(), False, [], [], [], []
    while not done:
        logits = table[state].detach()
        action = torch.distributions.Categorical(logits=logits).sample().item()
        states.append(state)
        actions.append(action)
        state, reward, done = env.step(action)
        rewards.append(reward)
        reached.append(state)
    total = np.array(rewards) + counts.bonus(np.array(reached))
    counts.see(np.array(reached))
    togo = torch.as_tensor(total[::-1].cumsum()[::-1].copy(), dtype=torch.float32)
    logp = torch.log_softmax(table[states], -1)[torch.arange(len(actions)), actions]
    loss = -(logp * (togo - togo.mean())).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("visits", counts.visits)
