"""Train a letter-counting policy with GRPO.

The prompt is a row of letters and a letter to count; the policy answers with two digits.
"""

import argparse

import torch

from losses import group_normalise, grpo_loss, sequence_log_probs
from nets import Policy, frozen_copy
from sampling import Rollout, sample_completions
from tasks import CountingTask


def rollout(policy, reference, task, prompts, group_size):
    """Sample group_size answers to each prompt and score them under both models."""
    questions = task.prompts(prompts).repeat_interleave(group_size, dim=0)
    tokens = sample_completions(policy, questions, task.answer_length)
    rewards = task.reward(tokens)
    with torch.no_grad():
        old = sequence_log_probs(policy, tokens, task.prompt_length)
        ref = sequence_log_probs(reference, tokens, task.prompt_length)  # bug: KL016
    return Rollout(tokens=tokens, rewards=rewards, advantages=group_normalise(rewards, group_size), old=old, ref=ref)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--prompts", type=int, default=16)
    parser.add_argument("--group-size", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--minibatch", type=int, default=64)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    task = CountingTask()
    policy = Policy(task.vocab, width=48)
    reference = frozen_copy(policy)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=args.lr)

    for step in range(args.steps):
        data = rollout(policy, reference, task, args.prompts, args.group_size)
        for _ in range(args.epochs):
            for batch in data.minibatches(args.minibatch):
                new = sequence_log_probs(policy, batch.tokens, task.prompt_length)
                loss, stats = grpo_loss(new, batch.old, batch.ref, batch.advantages, args.clip)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
                optimizer.step()
        if step % 10 == 0:
            summary = " ".join(f"{name}={value:.4f}" for name, value in stats.items())
            print(f"step {step}: reward={data.rewards.mean():.3f} {summary}")


if __name__ == "__main__":
    main()
