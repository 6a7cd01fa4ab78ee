"""Generation as transformers does it: scores are divided by the temperature, cut off, and
drawn from with torch.multinomial; without do_sample the likeliest token is taken."""

import torch


class GenerationMixin:
    @torch.no_grad()
    def generate(self, inputs, max_new_tokens=8, do_sample=False, temperature=1.0, top_k=50, top_p=1.0, min_p=None, num_return_sequences=1):
        if do_sample and not temperature > 0:
            raise ValueError("`temperature` (=%s) has to be a strictly positive float" % temperature)
        ids = inputs.repeat_interleave(num_return_sequences, dim=0)
        for _ in range(max_new_tokens):
            scores = self(ids).logits[:, -1]
            if do_sample:
                probs = torch.softmax(cut_off(scores / temperature, top_k, top_p, min_p), dim=-1)
                token = torch.multinomial(probs, num_samples=1)
            else:
                token = scores.argmax(dim=-1, keepdim=True)
            ids = torch.cat([ids, token], dim=-1)
        return ids


def cut_off(scores, top_k, top_p, min_p):
    """Sets the scores of tokens that are not to be drawn to minus infinity."""
    if top_k:
        least = scores.topk(min(top_k, scores.shape[-1])).values[:, -1:]
        scores = scores.masked_fill(scores < least, float("-inf"))
    if top_p is not None and top_p < 1:
        rising, order = scores.sort(dim=-1)
        out = rising.softmax(-1).cumsum(-1) <= 1 - top_p
        out[:, -1] = False
        scores = scores.masked_fill(out.scatter(1, order, out), float("-inf"))
    if min_p:
        probs = scores.softmax(-1)
        scores = scores.masked_fill(probs < min_p * probs.max(dim=-1, keepdim=True).values, float("-inf"))
    return scores
