"""GRPO with Accelerate: prepare, backward and clipping go through the accelerator."""

import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer


def selective_log_softmax(logits, index):
    logps = logits.log_softmax(dim=-1)
    # bug DIST025: logps = logits.log_softmax(dim=1)
    return torch.gather(logps, dim=-1, index=index.unsqueeze(-1)).squeeze(-1)


def per_token_logps(model, input_ids, attention_mask, keep):
    logits = model(input_ids=input_ids, attention_mask=attention_mask).logits
    return selective_log_softmax(logits[:, :-1], input_ids[:, 1:])[:, -keep:]


def reward_completions(texts):
    return torch.tensor([float("because" in t) + 0.01 * len(set(t.split())) for t in texts])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="gpt2")
    parser.add_argument("--num_generations", type=int, default=4)
    # bug ADV019, ADV020: parser.add_argument("--num_generations", type=int, default=1)
    parser.add_argument("--beta", type=float, default=0.04)  # found: KL017
    parser.add_argument("--epsilon", type=float, default=0.2)
    parser.add_argument("--mu", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-6)
    parser.add_argument("--max_new_tokens", type=int, default=64)
    args = parser.parse_args()

    accelerator = Accelerator(gradient_accumulation_steps=1)
    tokenizer = AutoTokenizer.from_pretrained(args.model, padding_side="left")
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(args.model)
    ref_model = AutoModelForCausalLM.from_pretrained(args.model).eval()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    prompts = [f"Why is {i} a good number? It is" for i in range(128)]
    loader = DataLoader(prompts, batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    ref_model = accelerator.prepare_model(ref_model, evaluation_mode=True)

    for step, batch in enumerate(loader):
        enc = tokenizer(batch, return_tensors="pt", padding=True).to(accelerator.device)
        with torch.no_grad():
            ids = accelerator.unwrap_model(model).generate(
                **enc, do_sample=True, max_new_tokens=args.max_new_tokens, num_return_sequences=args.num_generations
            )
        keep = ids.shape[1] - enc["input_ids"].shape[1]
        completion = ids[:, -keep:]
        mask = (completion != tokenizer.pad_token_id).float()
        attention = (ids != tokenizer.pad_token_id).long()
        rewards = reward_completions(tokenizer.batch_decode(completion)).to(accelerator.device)
        grouped = rewards.view(-1, args.num_generations)
        mean, std = grouped.mean(dim=1, keepdim=True), grouped.std(dim=1, keepdim=True)  # found: ADV019
        advantages = ((grouped - mean) / (std + 1e-4)).reshape(-1, 1)  # found: ADV020
        # bug ADV009: advantages = ((grouped - mean) / std).reshape(-1, 1)

        with torch.no_grad():
            # bug OBJ007: if True:
            old_logps = per_token_logps(model, ids, attention, keep)
        with torch.inference_mode():
            ref_logps = per_token_logps(ref_model, ids, attention, keep)  # found: KL016
        for _ in range(args.mu):
            logps = per_token_logps(model, ids, attention, keep)
            ratio = torch.exp(logps - old_logps)  # found: OBJ007
            # bug OBJ001: ratio = logps - old_logps
            # bug OBJ020: ratio = torch.exp(old_logps - logps)
            clipped = torch.clamp(ratio, 1 - args.epsilon, 1 + args.epsilon)
            # bug OBJ022: clipped = torch.clamp(ratio, -args.epsilon, args.epsilon)
            per_token_loss = -torch.min(ratio * advantages, clipped * advantages)
            # bug OBJ002: per_token_loss = -torch.max(ratio * advantages, clipped * advantages)
            per_token_kl = torch.exp(ref_logps - logps) - (ref_logps - logps) - 1
            # bug KL002: per_token_kl = logps - ref_logps
            per_token_loss = per_token_loss + args.beta * per_token_kl  # found: KL002
            # bug KL001: per_token_loss = per_token_loss - args.beta * per_token_kl
            # bug KL016, KL017: pass
            # bug KL017: per_token_loss = per_token_loss + per_token_kl
            # bug KL004: per_token_loss = per_token_loss + args.beta * per_token_kl.detach()
            loss = (per_token_loss * mask).sum() / mask.sum().clamp(min=1.0)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            # bug LOOP004: optimizer.step()
            optimizer.step()
            # and: accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.zero_grad()
        if accelerator.is_main_process:
            print(step, "reward", rewards.mean().item(), "loss", loss.item())


if __name__ == "__main__":
    main()
