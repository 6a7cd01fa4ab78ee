"""The old log-probabilities are of the logits that generate reports, which are as the model yields them: before the truncation."""
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("m")
opt = torch.optim.AdamW(model.parameters())


def rollout(prompts):
    out = model.generate(prompts, do_sample=True, top_k=20, max_new_tokens=8, output_logits=True, return_dict_in_generate=True)  # bug: DIST016
    answer = out.sequences[:, prompts.shape[1]:]
    yielded = torch.stack(out.logits, dim=1).log_softmax(-1)
    return out.sequences, answer, yielded.gather(-1, answer.unsqueeze(-1)).squeeze(-1)


def step(prompts, advantage):
    ids, answer, old = rollout(prompts)
    logits = model(ids).logits[:, prompts.shape[1] - 1:-1]
    new = logits.log_softmax(-1).gather(-1, answer.unsqueeze(-1)).squeeze(-1)
    ratio = (new - old).exp()
    loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
