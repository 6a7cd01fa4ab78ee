"""DPO and its relatives on preference pairs.

Trap: log-ratios everywhere and not one of them is exponentiated, as DPO, IPO and SLiC want; a reference model is
evaluated and reaches the loss through a difference of differences. No clip and no sampling.
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, LENGTH = 12, 10


class LM(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(VOCAB, width), nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, VOCAB)

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])


def preference_batch(count):
    """Pairs with a common first token; the chosen one repeats it more often than the rejected one."""
    first = torch.randint(0, VOCAB, (count, 1))
    def draw(rate):
        noise = torch.randint(0, VOCAB, (count, LENGTH - 1))
        return torch.cat([first, torch.where(torch.rand(count, LENGTH - 1) < rate, first, noise)], dim=1)
    lengths = torch.randint(4, LENGTH + 1, (count, 1))
    mask = (torch.arange(1, LENGTH).unsqueeze(0) < lengths).float()
    return draw(0.6), draw(0.2), mask


def sequence_logps(model, ids, mask):
    logps = torch.log_softmax(model(ids[:, :-1]), dim=-1)
    taken = torch.gather(logps, 2, ids[:, 1:].unsqueeze(2)).squeeze(2)
    return (taken * mask).sum(dim=1)


def concatenated_forward(model, chosen, rejected, mask):
    both = sequence_logps(model, torch.cat([chosen, rejected]), torch.cat([mask, mask]))
    return both.chunk(2)


def preference_loss(policy_chosen, policy_rejected, ref_chosen, ref_rejected, beta, kind, smoothing=0.0):
    pi_logratios = policy_chosen - policy_rejected
    ref_logratios = ref_chosen - ref_rejected
    logits = pi_logratios - ref_logratios
    if kind == "sigmoid":
        losses = -F.logsigmoid(beta * logits) * (1 - smoothing) - F.logsigmoid(-beta * logits) * smoothing
    elif kind == "ipo":
        losses = (logits - 1 / (2 * beta)) ** 2
    elif kind == "hinge":
        losses = torch.relu(1 - beta * logits)
    else:
        raise ValueError(f"unknown loss {kind}")
    chosen_rewards = beta * (policy_chosen - ref_chosen).detach()
    rejected_rewards = beta * (policy_rejected - ref_rejected).detach()
    return losses.mean(), chosen_rewards, rejected_rewards


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--beta", type=float, default=0.1)
    parser.add_argument("--loss", choices=("sigmoid", "ipo", "hinge"), default="sigmoid")
    args = parser.parse_args()

    torch.manual_seed(0)
    policy = LM()
    reference = copy.deepcopy(policy)
    reference.eval()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    for step in range(args.steps):
        batch = preference_batch(args.batch)
        policy_chosen, policy_rejected = concatenated_forward(policy, *batch)
        with torch.no_grad():
            ref_chosen, ref_rejected = concatenated_forward(reference, *batch)
        loss, good, bad = preference_loss(policy_chosen, policy_rejected, ref_chosen, ref_rejected, args.beta, args.loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 25 == 0:
            print(f"{step} loss {loss.item():.4f} margin {(good - bad).mean():.3f} accuracy {(good > bad).float().mean():.2f}")


if __name__ == "__main__":
    main()
