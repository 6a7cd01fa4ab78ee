"""A small stand-in for trl: GRPO on groups of answers that the model generates, and the frame of a trainer on preferences."""

import dataclasses
import typing

import torch


@dataclasses.dataclass
class GRPOConfig:
    output_dir: str = "out"
    num_generations: int = 8
    max_completion_length: int = 8
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: typing.Optional[int] = 0
    min_p: typing.Optional[float] = None
    learning_rate: float = 1e-3
    max_steps: int = 5
    beta: float = 0.0


class GRPOTrainer:
    def __init__(self, model, reward_funcs, args, train_dataset, peft_config=None):
        self.model, self.reward, self.args, self.data = model, reward_funcs, args, train_dataset
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)

    def train(self):
        for _ in range(self.args.max_steps):
            for row in self.data:
                self.step(row["prompt"])

    def step(self, prompt):
        ids, logits = self.answers(prompt)
        rewards = self.reward(ids[:, len(prompt) :]).view(-1, self.args.num_generations)
        advantages = (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)
        logps = logits.log_softmax(-1).gather(-1, ids[:, len(prompt) :, None]).squeeze(-1)
        loss = -(torch.exp(logps - logps.detach()) * advantages.view(-1, 1)).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def answers(self, prompt):
        """Returns the prompt with its answers, and the scores of the answers' tokens."""
        args = self.args
        ids = self.model.generate(
            torch.tensor([prompt] * args.num_generations), max_new_tokens=args.max_completion_length, do_sample=True,
            temperature=args.temperature, top_p=args.top_p, top_k=args.top_k, min_p=args.min_p,
        )
        return ids, self.model(ids).logits[:, len(prompt) - 1 : -1] / args.temperature


class SFTConfig:
    def __init__(self, **options):
        pass


class SFTTrainer:
    def __init__(self, model, args, train_dataset, processing_class=None):
        self.processing_class = processing_class

    def train(self):
        pass


class DPOTrainer:
    """The loss is a subclass's."""

    beta = 0.1

    def __init__(self, model, args, train_dataset):
        self.model, self.data = model, train_dataset
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    @staticmethod
    def get_batch_logps(logits, labels, average_log_prob=False, label_pad_token_id=-100, is_encoder_decoder=False):
        scores, labels = logits[:, :-1].log_softmax(-1), labels[:, 1:]
        counted = labels != label_pad_token_id
        each = scores.gather(-1, labels.masked_fill(~counted, 0).unsqueeze(-1)).squeeze(-1) * counted
        return each.sum(-1) / (counted.sum(-1) if average_log_prob else 1)

    def train(self):
        for batch in self.data:
            loss, _ = self.get_batch_loss_metrics(self.model, batch)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
