"""Two answers of one question lie behind each other in a row; marks tell the chosen one (1) from the rejected one (2) and from padding (0)."""

import torch
import torch.nn.functional as F


def preference_loss(net, rows, marks, beta):
    scores = net(rows).logits[:, :-1]
    picked = scores.log_softmax(-1).gather(-1, rows[:, 1:].unsqueeze(-1)).squeeze(-1)
    first, second = (marks[:, 1:] == 1).float(), (marks[:, 1:] == 2).float()
    liked = (picked * first).sum() / (first.sum() + 1e-6)
    other = (picked * second).sum() / (second.sum() + 1e-6)
    return -F.logsigmoid(beta * (liked - other))


def train(net, optimizer, data, beta=0.1):
    for rows, marks in data:
        loss = preference_loss(net, rows, marks, beta)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
