"""A network whose forward defines a class: the body of that class runs inside the method, and is no function."""
import torch
import torch.nn as nn


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, state):
        class Output:
            scale = 2.0

            def __init__(self, action):
                self.action = action

        return Output(torch.tanh(self.head(state)))


actor, critic = Actor(), nn.Linear(6, 1)
actor_optimizer = torch.optim.Adam(actor.parameters())


def update(state, next_state):
    loss = -critic(torch.cat([state, actor(state).action], dim=-1)).mean()
    actor_optimizer.zero_grad()
    loss.backward()
    actor_optimizer.step()
    return critic(torch.cat([next_state, actor(next_state).action], dim=-1))
