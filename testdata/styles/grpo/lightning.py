"""GRPO as a Lightning module: training_step returns the loss, configure_optimizers the optimizer."""

import torch
import torch.nn.functional as F
import pytorch_lightning as pl
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer


class GRPOModule(pl.LightningModule):
    def __init__(self, name, reward_fn, num_generations=4, clip_eps=0.2, beta=0.04, max_new_tokens=64, lr=1e-6):  # found: KL017
        # bug ADV019, ADV020: def __init__(self, name, reward_fn, num_generations=1, clip_eps=0.2, beta=0.04, max_new_tokens=64, lr=1e-6):
        super().__init__()
        self.save_hyperparameters(ignore=["reward_fn"])
        self.tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left")
        self.model = AutoModelForCausalLM.from_pretrained(name)
        self.ref_model = AutoModelForCausalLM.from_pretrained(name)
        self.ref_model.requires_grad_(False)
        self.reward_fn = reward_fn
        self.num_generations = num_generations
        self.clip_eps = clip_eps
        self.beta = beta
        self.max_new_tokens = max_new_tokens
        self.lr = lr

    def logps(self, model, ids, attention_mask, prompt_len):
        logits = model(input_ids=ids, attention_mask=attention_mask).logits[:, :-1]
        logps = F.log_softmax(logits, dim=-1)
        # bug DIST025: logps = F.log_softmax(logits, dim=1)
        picked = torch.gather(logps, 2, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
        return picked[:, prompt_len - 1 :]

    @torch.no_grad()
    def generate(self, prompts):
        enc = self.tokenizer(prompts, return_tensors="pt", padding=True).to(self.device)
        ids = self.model.generate(
            **enc, do_sample=True, max_new_tokens=self.max_new_tokens, num_return_sequences=self.num_generations
        )
        prompt_len = enc["input_ids"].shape[1]
        completion = ids[:, prompt_len:]
        is_eos = completion == self.tokenizer.eos_token_id
        mask = (is_eos.cumsum(dim=1) - is_eos.long() == 0).float()
        attention = torch.cat([enc["attention_mask"].repeat_interleave(self.num_generations, 0), mask.long()], dim=1)
        return ids, attention, mask, prompt_len

    def advantages(self, rewards):
        grouped = rewards.view(-1, self.num_generations)
        mean_grouped = grouped.mean(dim=1).repeat_interleave(self.num_generations)
        std_grouped = grouped.std(dim=1).repeat_interleave(self.num_generations)  # found: ADV019
        return (rewards - mean_grouped) / (std_grouped + 1e-4)  # found: ADV020
        # bug ADV009: return (rewards - mean_grouped) / std_grouped

    def training_step(self, batch, batch_idx):
        ids, attention, mask, prompt_len = self.generate(batch["prompt"])
        texts = self.tokenizer.batch_decode(ids[:, prompt_len:], skip_special_tokens=True)
        rewards = torch.tensor(self.reward_fn(texts), device=self.device, dtype=torch.float32)
        adv = self.advantages(rewards).unsqueeze(1)

        logps = self.logps(self.model, ids, attention, prompt_len)
        with torch.no_grad():
            ref_logps = self.logps(self.ref_model, ids, attention, prompt_len)  # found: KL016
        ratio = torch.exp(logps - logps.detach())
        # bug OBJ001: ratio = logps - logps.detach()
        # bug OBJ020: ratio = torch.exp(logps.detach() - logps)
        clipped = torch.clamp(ratio, 1 - self.clip_eps, 1 + self.clip_eps)
        # bug OBJ022: clipped = torch.clamp(ratio, -self.clip_eps, self.clip_eps)
        pg = -torch.min(ratio * adv, clipped * adv)
        # bug OBJ002: pg = -torch.max(ratio * adv, clipped * adv)
        kl = torch.exp(ref_logps - logps) - (ref_logps - logps) - 1
        # bug KL002: kl = logps - ref_logps
        per_token = pg + self.beta * kl  # found: KL002
        # bug KL001: per_token = pg - self.beta * kl
        # bug KL016, KL017: per_token = pg
        # bug KL017: per_token = pg + kl
        # bug KL004: per_token = pg + self.beta * kl.detach()
        loss = ((per_token * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)).mean()
        self.log("train/reward", rewards.mean(), prog_bar=True)
        self.log("train/kl", ((kl * mask).sum() / mask.sum()).detach())
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.model.parameters(), lr=self.lr)


def length_reward(texts):
    return [-abs(len(t) - 100) / 100 for t in texts]


if __name__ == "__main__":
    prompts = [{"prompt": f"Tell me about the number {i}."} for i in range(64)]
    loader = DataLoader(prompts, batch_size=4, shuffle=True)
    trainer = pl.Trainer(max_epochs=1, gradient_clip_val=1.0, log_every_n_steps=1)
    trainer.fit(GRPOModule("gpt2", length_reward), loader)
