package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/py/parse"
)

// planted is, by operator, a line of a correct program and what the operator makes of it.
var planted = map[string][2]string{
	"exp-dropped":               {"ratio = torch.exp(logp - old_logp)", "ratio = (logp - old_logp)"},
	"ratio-swapped":             {"ratio = (logp - old_logp).exp()", "ratio = (old_logp - logp).exp()"},
	"clip-around-zero":          {"clipped = torch.clamp(ratio, 1 - eps, 1 + eps)", "clipped = torch.clamp(ratio, -eps, eps)"},
	"min-max-flipped":           {"loss = -torch.min(surr1, surr2).mean()", "loss = -torch.max(surr1, surr2).mean()"},
	"clip-lacks-advantage":      {"surr2 = ratio.clamp(1 - eps, 1 + eps) * advantages", "surr2 = ratio.clamp(1 - eps, 1 + eps)"},
	"negation-dropped":          {"policy_loss = -torch.min(surr1, surr2).mean()", "policy_loss = torch.min(surr1, surr2).mean()"},
	"entropy-sign":              {"loss = pg - c * entropy", "loss = pg + c * entropy"},
	"kl-sign":                   {"loss = pg + beta * kl", "loss = pg - beta * kl"},
	"kl-dropped":                {"loss = pg + beta * kl", "loss = pg"},
	"eps-dropped":               {"adv = (adv - m) / (adv.std() + 1e-8)", "adv = (adv - m) / (adv.std())"},
	"eps-outside":               {"adv = (adv - m) / (adv.std() + 1e-8)", "adv = (adv - m) / adv.std() + 1e-8"},
	"softmax-dim":               {"p = F.softmax(logits, dim=-1)", "p = F.softmax(logits, dim=0)"},
	"logits-as-probs":           {"d = Categorical(logits=z)", "d = Categorical(z)"},
	"rsample-to-sample":         {"a = dist.rsample()", "a = dist.sample()"},
	"log-prob-not-summed":       {"lp = dist.log_prob(a).sum(-1)", "lp = dist.log_prob(a)"},
	"advantage-attached":        {"adv = (ret - v).detach()", "adv = (ret - v)"},
	"old-log-prob-attached":     {"old_logp = logp.detach()", "old_logp = logp"},
	"done-mask-dropped":         {"y = r + gamma * v * (1 - done)", "y = r + gamma * v"},
	"done-mask-inverted":        {"y = r + gamma * v * (1 - done)", "y = r + gamma * v * (done)"},
	"done-mask-added":           {"y = r + gamma * v * (1 - done)", "y = r + ((gamma * v) + (1 - done))"},
	"reward-dropped":            {"target = reward + gamma * v", "target = gamma * v"},
	"target-attached":           {"target = (r + v).detach()", "target = (r + v)"},
	"returns-not-reversed":      {"for r in reversed(rewards): R = r + gamma * R", "for r in rewards: R = r + gamma * R"},
	"squeeze-dropped":           {"loss = F.mse_loss(v.squeeze(-1), y)", "loss = F.mse_loss(v, y)"},
	"twins-larger":              {"target = r + gamma * torch.min(q1, q2)", "target = r + gamma * torch.max(q1, q2)"},
	"twin-repeated":             {"target = r + gamma * torch.min(q1, q2)", "target = r + gamma * torch.min(q1, q1)"},
	"soft-target-sign":          {"target_v = q - alpha * log_prob", "target_v = q + alpha * log_prob"},
	"error-not-squared":         {"value_loss = F.mse_loss(v, ret)", "value_loss = (v - ret).mean()"},
	"value-loss-subtracted":     {"loss = pg + 0.5 * value_loss", "loss = pg - 0.5 * value_loss"},
	"index-as-value":            {"next_q = net(s).max(1)[0]", "next_q = net(s).max(1)[1]"},
	"polyak-swapped":            {"target.data.copy_(tau * p + (1 - tau) * target)", "target.data.copy_((1 - tau) * p + (tau) * target)"},
	"target-aliased":            {"target_net = copy.deepcopy(net)", "target_net = net"},
	"target-loads-itself":       {"target.load_state_dict(net.state_dict())", "target.load_state_dict(target.state_dict())"},
	"tanh-correction-dropped":   {"log_prob -= torch.log(1 - a.pow(2) + 1e-6)", "pass"},
	"exploration-dropped":       {"a = rand_a() if random.random() < epsilon else best", "a = rand_a() if False else best"},
	"state-not-advanced":        {"state = next_state", "pass"},
	"zero-grad-dropped":         {"opt.zero_grad(); loss.backward()", "pass; loss.backward()"},
	"step-dropped":              {"loss.backward(); optimizer.step()", "loss.backward(); pass"},
	"zero-grad-behind-backward": {"opt.zero_grad(); loss.backward()", "loss.backward(); opt.zero_grad()"},
	"clip-after-step":           {"clip_grad_norm_(ps, 1.0); optimizer.step()", "optimizer.step(); clip_grad_norm_(ps, 1.0)"},
	"step-doubled":              {"optimizer.step()", "optimizer.step(); optimizer.step()"},
	"backward-dropped":          {"loss.backward()", "pass"},
	"parentheses-dropped":       {"optimizer.zero_grad()", "optimizer.zero_grad"},
	"bound-flipped":             {"epsilon = max(low, epsilon * 0.99)", "epsilon = min(low, epsilon * 0.99)"},
	"period-inverted":           {"if step % 100 == 0: target.load_state_dict(net.state_dict())", "if step % 100: target.load_state_dict(net.state_dict())"},
	"reset-dropped":             {"if done: state = env.reset()", "if done: pass"},
	"unscale-dropped":           {"scaler.unscale_(opt)", "pass"},
	"loss-not-divided":          {"loss = loss / accumulation_steps", "loss = loss"},
	"result-dropped":            {"x = x.clamp(0, 1)", "x.clamp(0, 1)"},
	"masked-mean-over-all":      {"kl = (x * mask).sum() / mask.sum()", "kl = (x * mask).mean()"},
	"empty-mask-not-guarded":    {"m = (x * mask).sum() / mask.sum().clamp(min=1)", "m = (x * mask).sum() / mask.sum()"},
	"shift-dropped":             {"f(logits[:, :-1], labels[:, 1:])", "f(logits[:, :-1], labels[:, :-1])"},
	"mask-of-the-wrong-end":     {"m = loss_mask[:, 1:]", "m = loss_mask[:, :-1]"},
}

func TestEachOperatorPlantsItsBug(t *testing.T) {
	parser := parse.New()
	defer parser.Close()
	for _, op := range operators {
		want, ok := planted[op.name]
		if !ok {
			t.Errorf("%s has no example", op.name)
			continue
		}
		tree, err := parser.Parse(context.Background(), "a.py", []byte(want[0]+"\n"))
		if err != nil || len(tree.Errors) > 0 {
			t.Fatalf("%s: %v %v", op.name, err, tree.Errors)
		}
		found := newModule(tree).mutants(op)
		if len(found) != 1 {
			t.Errorf("%s: %d mutants of %q, want 1", op.name, len(found), want[0])
			continue
		}
		got, err := edit.Apply([]byte(want[0]), found[0])
		if err != nil || string(got) != want[1] {
			t.Errorf("%s: %q, error %v, want %q", op.name, got, err, want[1])
		}
	}
}

// A planted bug counts as reported when one of the operator's rules says something new.
func TestMutantsAreCounted(t *testing.T) {
	trees := t.TempDir()
	file := filepath.Join(trees, "someone+trainer", "train.py")
	text := `import torch


def update(policy, obs, actions, old_logp, rewards):
    adv = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
    logits = policy(obs)
    p = torch.nn.functional.softmax(logits, dim=-1)
    logp = torch.log_softmax(logits, dim=-1).gather(1, actions)
    ratio = torch.exp(logp - old_logp)
    return -torch.min(ratio * adv, torch.clamp(ratio, 0.8, 1.2) * adv).mean()
`
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (options{trees: trees, operators: "exp-dropped,logits-as-probs", limit: 4}).run(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	if want := "| exp-dropped | OBJ | 1 | 1 | 1.00 |\n| mean over kinds | | 1 | 1 | 1.00 |\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("printed\n%s\nwant at the end\n%s", out.String(), want)
	}
}

func TestWrongArgumentsAreExplained(t *testing.T) {
	for _, c := range []struct {
		o    options
		want string
	}{
		{options{}, "name the folder of the repositories with -trees"},
		{options{trees: ".", operators: "sign-flipped"}, `no operator "sign-flipped"`},
	} {
		if err := c.o.run(context.Background(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
