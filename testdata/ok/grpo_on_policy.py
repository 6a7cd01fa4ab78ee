"""GRPO with exactly one update a rollout, written with `exp(logp - logp.detach())`.

Trap: the ratio is identically one and the value of the policy loss is cosmetic, yet its gradient is the policy
gradient. A detached copy plays the old log-prob. KL by the squared-log estimate k2, half the square of a log-ratio.
"""

import argparse
import copy

import torch
import torch.nn as nn


class Speller(nn.Module):
    def __init__(self, letters=6, width=32):
        super().__init__()
        self.letters = letters
        self.embed, self.rnn = nn.Embedding(letters + 1, width), nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, letters)

    def logits(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])

    def logps(self, ids):
        logits = self.logits(ids[:, :-1])
        chosen = logits.gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
        return chosen - logits.logsumexp(dim=2)


@torch.no_grad()
def spell(model, rows, length):
    ids = torch.full((rows, 1), model.letters)
    for _ in range(length):
        dist = torch.distributions.Categorical(logits=model.logits(ids)[:, -1])
        ids = torch.cat((ids, dist.sample()[:, None]), dim=1)
    return ids


def palindrome(ids):
    word = ids[:, 1:]
    return (word == word.flip(1)).float().mean(1)


def group_advantage(rewards, size):
    shaped = rewards.reshape(-1, size)
    mean, std = shaped.mean(-1, keepdim=True), shaped.std(-1, keepdim=True)
    return ((shaped - mean) / (std + 1e-4)).reshape(-1, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--num-generations", type=int, default=8)
    parser.add_argument("--beta", type=float, default=0.01)
    args = parser.parse_args()

    torch.manual_seed(0)
    policy = Speller()
    ref_policy = copy.deepcopy(policy).eval().requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=3e-3)
    for step in range(args.steps):
        ids = spell(policy, 8 * args.num_generations, length=6)
        rewards = palindrome(ids)
        advantages = group_advantage(rewards, args.num_generations)
        per_token_logps = policy.logps(ids)
        with torch.no_grad():
            ref_per_token_logps = ref_policy.logps(ids)
        per_token_k2 = 0.5 * (per_token_logps - ref_per_token_logps).square()
        per_token_loss = torch.exp(per_token_logps - per_token_logps.detach()) * advantages
        loss = -(per_token_loss - args.beta * per_token_k2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()
        if step % 50 == 0:
            print(f"{step} reward {rewards.mean():.3f} loss {loss.item():+.4f}")


if __name__ == "__main__":
    main()
