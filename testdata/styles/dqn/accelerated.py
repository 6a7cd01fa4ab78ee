"""DQN where Accelerate prepares the network, the optimizer and the backward pass."""

import random
from collections import deque

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.out = nn.Linear(3, 64), nn.Linear(64, 64), nn.Linear(64, 3)

    def forward(self, x):
        return self.out(torch.relu(self.fc2(torch.relu(self.fc1(x)))))
        # bug DIST012: return torch.relu(self.out(torch.relu(self.fc2(torch.relu(self.fc1(x))))))


class Tracker:
    """Follow a target that drifts; an episode ends when it is lost."""

    def reset(self):
        self.gap, self.drift, self.t = random.uniform(-1, 1), random.uniform(-0.1, 0.1), 0
        return [self.gap, self.drift, 0.0]

    def step(self, a):
        self.gap += self.drift + 0.2 * (a - 1)
        self.t += 1
        lost = abs(self.gap) > 3
        return [self.gap, self.drift, self.t / 100], (-5.0 if lost else 1 - abs(self.gap)), lost, self.t == 100


def to_batch(rows, device):
    s, a, r, s2, lost = zip(*rows)
    return (
        torch.tensor(s, device=device),
        torch.tensor(a, device=device).view(-1, 1),
        torch.tensor(r, device=device).view(-1, 1),
        torch.tensor(s2, device=device),
        torch.tensor(lost, device=device, dtype=torch.float32).view(-1, 1),
    )


def main():
    accelerator = Accelerator()
    set_seed(0)
    net, target = Net(), Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1000, 0.9)
    net, optimizer, scheduler = accelerator.prepare(net, optimizer, scheduler)
    target = target.to(accelerator.device)
    target.load_state_dict(accelerator.unwrap_model(net).state_dict())
    memory, env = deque(maxlen=20_000), Tracker()
    state, total, step = env.reset(), 0.0, 0
    while step < 10_000:
        epsilon = max(0.02, 1 - step / 4000)
        if random.random() > epsilon:
            with torch.no_grad():
                action = net(torch.tensor(state, device=accelerator.device)).argmax().item()
        else:
            action = random.randint(0, 2)
        following, reward, lost, timeout = env.step(action)
        memory.append((state, action, reward, following, lost))
        total += reward
        state = following
        if lost or timeout:
            accelerator.print(step, "return", round(total, 2))
            state, total = env.reset(), 0.0
        if len(memory) > 500:
            s, a, r, s2, d = to_batch(random.sample(memory, 64), accelerator.device)
            q = net(s).gather(1, a)
            next_q = target(s2).detach().max(1, keepdim=True)[0]
            loss = torch.nn.functional.smooth_l1_loss(q, r + 0.98 * (1 - d) * next_q)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(net.parameters(), 5.0)
            # bug LOOP004: optimizer.step()
            optimizer.step()
            # and: accelerator.clip_grad_norm_(net.parameters(), 5.0)
            scheduler.step()
            optimizer.zero_grad()
        if step % 200 == 0:
            target.load_state_dict(accelerator.unwrap_model(net).state_dict())
        step += 1


if __name__ == "__main__":
    main()
