"""Fine-tune a causal language model on sums with GRPO.

    python grpo_hf.py --model gpt2 --steps 200 --num-generations 8

Each step samples a group of answers to a few questions, scores them with a rule-based reward (right answer,
right format), normalises the rewards within each group and takes a few clipped policy-gradient steps. A frozen
copy of the model is the reference.
"""

import argparse
import json
import random
import re
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR
from transformers import AutoModelForCausalLM, AutoTokenizer

ANSWER = re.compile(r"<answer>\s*(-?\d+)\s*</answer>")
TEMPLATE = "Think step by step, then give the result as <answer>number</answer>.\nQuestion: {question}\n"


@dataclass
class Batch:
    """Batch is one rollout; rows are completions, groups are next to each other."""

    input_ids: torch.Tensor
    attention_mask: torch.Tensor
    completion_mask: torch.Tensor
    advantages: torch.Tensor
    old_logps: torch.Tensor
    ref_logps: torch.Tensor

    def __len__(self):
        return self.input_ids.size(0)

    def __getitem__(self, index):
        return Batch(
            self.input_ids[index],
            self.attention_mask[index],
            self.completion_mask[index],
            self.advantages[index],
            self.old_logps[index],
            self.ref_logps[index],
        )


def make_question(rng):
    a, b = rng.randint(2, 99), rng.randint(2, 99)
    if rng.random() < 0.5:
        return f"What is {a} + {b}?", a + b
    return f"What is {a} - {b}?", a - b


def reward_of(text, target):
    found = ANSWER.findall(text)
    if not found:
        return 0.0
    return 0.2 + float(int(found[-1]) == target) if len(found) == 1 else 0.1


def masked_mean(values, mask):
    return (values * mask).sum() / mask.sum().clamp(min=1)


def positions_of(attention_mask):
    return (attention_mask.cumsum(dim=-1) - 1).clamp(min=0)


class GRPOTrainer:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.tokenizer = AutoTokenizer.from_pretrained(args.model, padding_side="left")
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        # from_pretrained returns models in eval mode: no dropout, so old and new log-probs agree.
        self.policy = AutoModelForCausalLM.from_pretrained(args.model).to(self.device)
        self.reference = AutoModelForCausalLM.from_pretrained(args.model).to(self.device)
        self.reference.requires_grad_(False)
        self.optimizer = AdamW(self.policy.parameters(), lr=args.lr, betas=(0.9, 0.99), weight_decay=0.0)
        self.scheduler = LambdaLR(self.optimizer, lambda step: min(1.0, (step + 1) / max(1, args.warmup)))
        self.rng = random.Random(args.seed)

    @torch.no_grad()
    def generate(self, input_ids, attention_mask):
        """Sample up to max_new_tokens after each left-padded prompt; return the completions (B, T)."""
        finished = torch.zeros(input_ids.size(0), dtype=torch.bool, device=self.device)
        positions, past, step_ids, tokens = positions_of(attention_mask), None, input_ids, []
        for _ in range(self.args.max_new_tokens):
            outputs = self.policy(
                input_ids=step_ids,
                attention_mask=attention_mask,
                position_ids=positions,
                past_key_values=past,
                use_cache=True,
            )
            past = outputs.past_key_values
            logits = outputs.logits[:, -1, :] / self.args.temperature
            token = torch.multinomial(logits, num_samples=1).squeeze(-1)  # bug: DIST023
            token = torch.where(finished, torch.full_like(token, self.tokenizer.pad_token_id), token)
            tokens.append(token)
            finished = finished | (token == self.tokenizer.eos_token_id)
            if finished.all():
                break
            step_ids = token.unsqueeze(-1)
            attention_mask = torch.cat([attention_mask, torch.ones_like(step_ids)], dim=-1)
            positions = positions[:, -1:] + 1
        return torch.stack(tokens, dim=1)

    def mask_after_eos(self, completions):
        """Return one for every token up to and including the first end-of-sequence token."""
        ended = (completions == self.tokenizer.eos_token_id).long()
        return (ended.cumsum(dim=1) - ended == 0).float()

    def per_token_logps(self, model, input_ids, attention_mask, completion_length):
        outputs = model(
            input_ids=input_ids,
            attention_mask=attention_mask,
            position_ids=positions_of(attention_mask),
        )
        logits = outputs.logits[:, -completion_length - 1:-1, :] / self.args.temperature
        logps = F.log_softmax(logits.float(), dim=-1)
        targets = input_ids[:, -completion_length:]
        return torch.gather(logps, dim=-1, index=targets.unsqueeze(-1)).squeeze(-1)

    def compute_advantages(self, rewards):
        grouped = rewards.view(-1, self.args.num_generations)
        mean_grouped_rewards = grouped.mean(dim=1).repeat_interleave(self.args.num_generations)
        std_grouped_rewards = grouped.std(dim=1).repeat_interleave(self.args.num_generations)
        return (rewards - mean_grouped_rewards) / std_grouped_rewards  # bug: ADV009

    def rollout(self):
        questions = [make_question(self.rng) for _ in range(self.args.prompts_per_step)]
        repeated = [pair for pair in questions for _ in range(self.args.num_generations)]
        prompts = [torch.tensor(self.tokenizer.encode(TEMPLATE.format(question=q))).flip(0) for q, _ in repeated]
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=self.device)
        prompt_ids = pad_sequence(prompts, batch_first=True, padding_value=self.tokenizer.pad_token_id).flip(1)
        prompt_ids = prompt_ids.to(self.device)
        columns = torch.arange(prompt_ids.size(1), device=self.device)
        prompt_mask = (columns >= prompt_ids.size(1) - lengths.unsqueeze(1)).long()

        completions = self.generate(prompt_ids, prompt_mask)
        completion_mask = self.mask_after_eos(completions)
        texts = self.tokenizer.batch_decode(completions, skip_special_tokens=True)
        rewards = torch.tensor([reward_of(text, target) for text, (_, target) in zip(texts, repeated)], device=self.device)

        input_ids = torch.cat([prompt_ids, completions], dim=1)
        attention_mask = torch.cat([prompt_mask, completion_mask.long()], dim=1)
        with torch.no_grad():
            length = completions.size(1)
            old_logps = self.per_token_logps(self.policy, input_ids, attention_mask, length)
            ref_logps = self.per_token_logps(self.reference, input_ids, attention_mask, length)  # bug: KL016
        advantages = self.compute_advantages(rewards)
        batch = Batch(input_ids, attention_mask, completion_mask, advantages, old_logps, ref_logps)
        return batch, {"reward": rewards.mean().item(), "length": completion_mask.sum(1).mean().item()}

    def loss(self, batch):
        length = batch.completion_mask.size(1)
        logps = self.per_token_logps(self.policy, batch.input_ids, batch.attention_mask, length)
        ratio = logps - batch.old_logps  # bug: OBJ001
        clipped = torch.clamp(ratio, 1.0 - self.args.clip_range, 1.0 + self.args.clip_range)
        advantages = batch.advantages.unsqueeze(1)
        per_token_loss = -torch.min(ratio * advantages, clipped * advantages)
        per_token_kl = torch.exp(batch.ref_logps - logps) - (batch.ref_logps - logps) - 1
        loss = masked_mean(per_token_loss, batch.completion_mask)
        metrics = {
            "loss": loss.item(),
            "kl": masked_mean(per_token_kl, batch.completion_mask).item(),
            "clip_fraction": masked_mean((ratio != clipped).float(), batch.completion_mask).item(),
        }
        return loss, metrics

    def train(self):
        log = Path(self.args.output_dir)
        log.mkdir(parents=True, exist_ok=True)
        with open(log / "metrics.jsonl", "w") as sink:
            for step in range(self.args.steps):
                batch, metrics = self.rollout()
                for _ in range(self.args.ppo_epochs):
                    for index in torch.randperm(len(batch), device=self.device).split(self.args.minibatch_size):
                        loss, update = self.loss(batch[index])
                        self.optimizer.zero_grad()
                        loss.backward()
                        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.args.max_grad_norm)
                        self.optimizer.step()
                self.scheduler.step()
                sink.write(json.dumps({"step": step, **metrics, **update}) + "\n")
                sink.flush()
        self.policy.save_pretrained(log / "final")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="gpt2")
    parser.add_argument("--output-dir", default="runs/grpo")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--prompts-per-step", type=int, default=8)
    parser.add_argument("--num-generations", type=int, default=8)
    parser.add_argument("--ppo-epochs", type=int, default=2)
    parser.add_argument("--minibatch-size", type=int, default=16)
    parser.add_argument("--max-new-tokens", type=int, default=96)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--clip-range", type=float, default=0.2)
    parser.add_argument("--beta", type=float, default=0.04, help="coefficient of the KL to the reference")  # bug: KL017
    parser.add_argument("--max-grad-norm", type=float, default=1.0)
    parser.add_argument("--lr", type=float, default=1e-6)
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()

    random.seed(args.seed)
    torch.manual_seed(args.seed)
    GRPOTrainer(args).train()


if __name__ == "__main__":
    main()
