# %% [markdown]
# # Deep Q-learning on a small maze

# %%
import random

import torch
import torch.nn as nn

random.seed(0)
torch.manual_seed(0)

# %%
WALLS = {(1, 1), (1, 2), (2, 1)}
GOAL, SIZE = (3, 3), 4
MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def move(pos, a):
    x, y = pos[0] + MOVES[a][0], pos[1] + MOVES[a][1]
    if not (0 <= x < SIZE and 0 <= y < SIZE) or (x, y) in WALLS:
        return pos, -0.1, False
    return (x, y), (1.0 if (x, y) == GOAL else -0.02), (x, y) == GOAL


def features(pos):
    v = torch.zeros(SIZE * SIZE)
    v[pos[0] * SIZE + pos[1]] = 1.0
    return v


# %%
q_net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
# bug DIST012: q_net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4), nn.ReLU())
target_net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
# and: target_net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4), nn.ReLU())
target_net.load_state_dict(q_net.state_dict())
target_net.eval()
optimizer = torch.optim.RMSprop(q_net.parameters(), lr=1e-3)
criterion = nn.SmoothL1Loss()
memory = []
gamma, batch_size, sync = 0.95, 64, 50

# %%
losses, returns = [], []
updates = 0
for episode in range(150):
    pos, total = (0, 0), 0.0
    eps = 0.05 + 0.95 * 0.97**episode
    for t in range(60):
        s = features(pos)
        if random.random() < eps:
            a = random.randrange(4)
        else:
            with torch.no_grad():
                a = q_net(s).argmax().item()
        pos, r, done = move(pos, a)
        memory.append((s, a, r, features(pos), done))
        memory = memory[-5000:]
        total += r
        if len(memory) >= batch_size:
            batch = random.sample(memory, batch_size)
            S = torch.stack([b[0] for b in batch])
            A = torch.tensor([b[1] for b in batch])
            R = torch.tensor([b[2] for b in batch])
            S2 = torch.stack([b[3] for b in batch])
            D = torch.tensor([b[4] for b in batch], dtype=torch.float32)
            q = q_net(S)[torch.arange(batch_size), A]
            with torch.no_grad():
                target = R + gamma * target_net(S2).max(1).values * (1 - D)
            loss = criterion(q, target)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(q_net.parameters(), 1.0)
            # bug LOOP004: optimizer.step()
            optimizer.step()
            # and: torch.nn.utils.clip_grad_norm_(q_net.parameters(), 1.0)
            losses.append(loss.item())
            updates += 1
            if updates % sync == 0:
                target_net.load_state_dict(q_net.state_dict())
        if done:
            break
    returns.append(total)

# %%
print("last returns", sum(returns[-10:]) / 10, "last losses", sum(losses[-10:]) / 10)
