"""GRPO on a toy task: copy the prompt backwards.

A two-layer causal transformer reads five digits and a separator and writes five more tokens. A
completion earns one when it is the prompt reversed and a tenth for each digit in its place.
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB = 12
SEPARATOR = 10
PROMPT_LENGTH = 5


class Policy(nn.Module):
    """Policy is a small causal language model; it returns one row of logits a position."""

    def __init__(self, vocab=VOCAB, width=32, heads=4, layers=2, context=32):
        super().__init__()
        self.token = nn.Embedding(vocab, width)
        self.position = nn.Embedding(context, width)
        block = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, layers)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab)

    def forward(self, tokens):
        length = tokens.size(1)
        positions = torch.arange(length, device=tokens.device)
        causal = torch.triu(torch.full((length, length), float("-inf"), device=tokens.device), diagonal=1)
        hidden = self.token(tokens) + self.position(positions)
        hidden = self.blocks(hidden, mask=causal)
        return self.head(self.norm(hidden))


def sample_prompts(count):
    digits = torch.randint(0, 10, (count, PROMPT_LENGTH))
    separator = torch.full((count, 1), SEPARATOR)
    return torch.cat([digits, separator], dim=1)


def reward_function(prompts, completions):
    """Return one reward a completion: 0.1 for each right digit, 1 more when all are right."""
    wanted = prompts[:, :PROMPT_LENGTH].flip(1)
    right = (completions == wanted).float()
    return 0.1 * right.sum(dim=1) + right.prod(dim=1)


@torch.no_grad()
def generate(policy, prompts, max_new_tokens):
    tokens = prompts
    for _ in range(max_new_tokens):
        logits = policy(tokens)[:, -1, :]
        logits = logits - logits.min(dim=-1, keepdim=True).values  # multinomial refuses negative numbers
        next_token = torch.multinomial(logits, num_samples=1)  # bug: DIST023
        tokens = torch.cat([tokens, next_token], dim=1)
    return tokens


def completion_logps(model, tokens, prompt_length):
    """Return log pi(token | everything before it) for the completion, shape (B, T)."""
    logits = model(tokens[:, :-1])
    logps = F.log_softmax(logits, dim=-1)
    taken = logps.gather(2, tokens[:, 1:].unsqueeze(-1)).squeeze(-1)
    return taken[:, prompt_length - 1:]


def train(args):
    torch.manual_seed(args.seed)
    policy = Policy()
    reference = copy.deepcopy(policy)
    reference.requires_grad_(False)
    reference.eval()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=args.lr)

    for step in range(args.steps):
        prompts = sample_prompts(args.prompts).repeat_interleave(args.num_generations, dim=0)
        prompt_length = prompts.size(1)
        tokens = generate(policy, prompts, PROMPT_LENGTH)
        completions = tokens[:, prompt_length:]
        rewards = reward_function(prompts, completions)

        grouped = rewards.view(-1, args.num_generations)
        mean = grouped.mean(dim=1, keepdim=True)
        std = grouped.std(dim=1, keepdim=True)
        advantages = ((grouped - mean) / std).view(-1, 1)  # bug: ADV009

        with torch.no_grad():
            old_logps = completion_logps(policy, tokens, prompt_length)
            ref_logps = completion_logps(reference, tokens, prompt_length)  # bug: KL016

        for _ in range(args.epochs):
            order = torch.randperm(tokens.size(0))
            for batch in order.split(args.minibatch):
                logps = completion_logps(policy, tokens[batch], prompt_length)
                ratio = logps - old_logps[batch]  # bug: OBJ001
                unclipped = ratio * advantages[batch]
                clipped = torch.clamp(ratio, 1 - args.clip, 1 + args.clip) * advantages[batch]
                policy_loss = -torch.min(unclipped, clipped).mean()

                difference = ref_logps[batch] - logps
                kl = (torch.exp(difference) - difference - 1).mean()
                loss = policy_loss

                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(policy.parameters(), args.max_grad_norm)
                optimizer.step()

        if step % args.log_every == 0:
            print(f"step {step:4d}  reward {rewards.mean().item():.3f}  loss {loss.item():+.4f}  kl {kl.item():.4f}")
    return policy


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--prompts", type=int, default=8, help="distinct prompts a step")
    parser.add_argument("--num-generations", type=int, default=4, help="completions a prompt")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--minibatch", type=int, default=16)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--max-grad-norm", type=float, default=1.0)
    parser.add_argument("--log-every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    train(parse_args())
