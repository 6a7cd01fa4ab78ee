"""A trainer class in the style of Hugging Face: dataclass arguments, a compute_loss method, a reference from the same hub name.

Trap: per-token log-probs are gathered by a method that subtracts logsumexp row by row to save memory; the reference's log-probs
reach the loss through a dictionary of inputs prepared by another method; beta is read from self.args. With beta of zero no
reference is loaded, and the loss skips the term.
"""

from dataclasses import dataclass, field
from typing import Dict, List, Optional

import torch
from torch.nn.utils import clip_grad_norm_
from transformers import AutoModelForCausalLM, AutoTokenizer


@dataclass
class GRPOArguments:
    model_name: str = "gpt2"
    learning_rate: float = 1e-6
    num_generations: int = field(default=8, metadata={"help": "completions a prompt, at least two"})
    max_completion_length: int = 64
    temperature: float = 0.9
    num_iterations: int = 2
    beta: float = field(default=0.04, metadata={"help": "weight of the KL term; 0 loads no reference"})
    epsilon: float = 0.2
    max_grad_norm: float = 1.0

    def __post_init__(self):
        if self.num_generations < 2:
            raise ValueError("num_generations must be at least 2")


class GRPOTrainer:
    def __init__(self, args: GRPOArguments, reward_funcs: List, train_prompts: List[str]):
        self.args, self.reward_funcs, self.prompts = args, reward_funcs, train_prompts
        self.tokenizer = AutoTokenizer.from_pretrained(args.model_name)
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self.model = AutoModelForCausalLM.from_pretrained(args.model_name)
        self.ref_model: Optional[torch.nn.Module] = None
        if args.beta != 0.0:
            self.ref_model = AutoModelForCausalLM.from_pretrained(args.model_name)
            self.ref_model.requires_grad_(False)
            self.ref_model.eval()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=args.learning_rate)

    def _get_per_token_logps(self, model, input_ids, logits_to_keep):
        logits = model(input_ids=input_ids).logits[:, :-1, :]
        input_ids = input_ids[:, -logits_to_keep:]
        logits = logits[:, -logits_to_keep:] / self.args.temperature
        per_token_logps = []
        for logits_row, input_ids_row in zip(logits, input_ids):
            token_logits = torch.gather(logits_row, dim=1, index=input_ids_row.unsqueeze(1)).squeeze(1)
            per_token_logps.append(token_logits - torch.logsumexp(logits_row, dim=-1))
        return torch.stack(per_token_logps)

    @torch.no_grad()
    def _generate(self, prompt_ids):
        ids = prompt_ids.repeat(self.args.num_generations, 1)
        for _ in range(self.args.max_completion_length):
            logits = self.model(input_ids=ids).logits[:, -1, :] / self.args.temperature
            ids = torch.cat([ids, torch.multinomial(logits.softmax(dim=-1), num_samples=1)], dim=1)
        return ids

    @torch.no_grad()
    def _prepare_inputs(self, prompt: str) -> Dict[str, torch.Tensor]:
        prompt_ids = torch.tensor([self.tokenizer.encode(prompt)])
        ids = self._generate(prompt_ids)
        length = ids.size(1) - prompt_ids.size(1)
        completion_ids = ids[:, -length:]
        is_eos = (completion_ids == self.tokenizer.eos_token_id).long()
        completion_mask = (is_eos.cumsum(dim=1) - is_eos == 0).float()
        texts = self.tokenizer.batch_decode(completion_ids, skip_special_tokens=True)

        rewards_per_func = torch.zeros(len(texts), len(self.reward_funcs))
        for i, reward_func in enumerate(self.reward_funcs):
            rewards_per_func[:, i] = torch.tensor([reward_func(prompt, text) for text in texts])
        rewards = rewards_per_func.sum(dim=1)
        mean_grouped_rewards = rewards.view(-1, self.args.num_generations).mean(dim=1)
        std_grouped_rewards = rewards.view(-1, self.args.num_generations).std(dim=1)
        mean_grouped_rewards = mean_grouped_rewards.repeat_interleave(self.args.num_generations, dim=0)
        std_grouped_rewards = std_grouped_rewards.repeat_interleave(self.args.num_generations, dim=0)
        advantages = (rewards - mean_grouped_rewards) / (std_grouped_rewards + 1e-4)

        ref_per_token_logps = None
        if self.args.beta != 0.0:
            ref_per_token_logps = self._get_per_token_logps(self.ref_model, ids, length)
        return {
            "input_ids": ids,
            "completion_mask": completion_mask,
            "advantages": advantages,
            "old_per_token_logps": self._get_per_token_logps(self.model, ids, length),
            "ref_per_token_logps": ref_per_token_logps,
            "reward": rewards.mean(),
        }

    def compute_loss(self, inputs: Dict[str, torch.Tensor]) -> torch.Tensor:
        mask = inputs["completion_mask"]
        per_token_logps = self._get_per_token_logps(self.model, inputs["input_ids"], mask.size(1))
        log_ratio = per_token_logps - inputs["old_per_token_logps"]
        coef_1 = torch.exp(log_ratio)
        coef_2 = torch.clamp(coef_1, 1 - self.args.epsilon, 1 + self.args.epsilon)
        advantages = inputs["advantages"].unsqueeze(1)
        per_token_loss = -torch.min(coef_1 * advantages, coef_2 * advantages)
        if self.args.beta != 0.0:
            ref_per_token_logps = inputs["ref_per_token_logps"]
            per_token_kl = torch.exp(ref_per_token_logps - per_token_logps) - (ref_per_token_logps - per_token_logps) - 1
            per_token_loss = per_token_loss + self.args.beta * per_token_kl
        return (per_token_loss * mask).sum() / mask.sum().clamp(min=1.0)

    def train(self, epochs: int = 1) -> None:
        for epoch in range(epochs):
            for prompt in self.prompts:
                inputs = self._prepare_inputs(prompt)
                for _ in range(self.args.num_iterations):
                    loss = self.compute_loss(inputs)
                    self.optimizer.zero_grad()
                    loss.backward()
                    clip_grad_norm_(self.model.parameters(), self.args.max_grad_norm)
                    self.optimizer.step()
                print(f"epoch {epoch} reward {inputs['reward']:.3f} loss {loss.item():+.4f}")


def brevity(prompt: str, completion: str) -> float:
    return -len(completion) / 100.0


def mentions_prompt(prompt: str, completion: str) -> float:
    return float(any(word in completion for word in prompt.split()))


if __name__ == "__main__":
    torch.manual_seed(0)
    trainer = GRPOTrainer(GRPOArguments(), [brevity, mentions_prompt], ["Name a colour.", "Name an animal."])
    trainer.train()
