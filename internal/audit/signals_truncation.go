package audit

import (
	"fmt"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// truncation judges the share of completions that were cut at the maximum length.
func truncation(e *evidence) Signal {
	c, why := e.truncated()
	if why != "" {
		return unknown("%s", why)
	}
	return test{
		curve: c, what: "share of completions cut at the maximum length",
		borders: []border{alertOver(0.5), warnOver(0.25)},
		basis:   "in a published run 52 % were at the maximum length once it was hacked; 0.25 is our choice",
		hurts:   "a cut answer has no end to judge, and its last token is trained as if the answer were complete",
		help:    "allow longer answers, mask cut ones out of the loss, or penalise length; check the completions for loops",
	}.signal()
}

// truncated is the share as it is logged, by step or with completions; else what it can be derived
// from: the ends that a batch has, or the tokens of completions against the maximum length of the
// settings. Where there is none it says why.
func (e *evidence) truncated() (c curve, why string) {
	if c, ok := e.curve(record.Truncated); ok {
		return c, ""
	}
	if c, ok := e.texts.judgedCurve(textTruncated); ok {
		return c, ""
	}
	c, why = e.withoutEnd()
	if why == "" {
		return c, ""
	}
	if q, ok := e.atLimit(); ok {
		c, _ := e.texts.judgedCurve(q)
		c.basis = q.name
		return c, ""
	}
	return c, why
}

// endless is why truncation is unknown where nothing of it is logged.
const endless = "the share of completions cut at the maximum length is not logged and cannot be derived; log it, or the tokens of each completion and the maximum length (response_length, max_completion_length)"

// withoutEnd is the share of a batch that has no end-of-sequence token.
func (e *evidence) withoutEnd() (c curve, why string) {
	c, ok := e.curve(record.EndTokens)
	if !ok {
		return c, endless
	}
	batch, most := 1.0, 0.0 // a mean over completions, but for TRL
	for _, p := range c.points {
		most = max(most, p.Value)
	}
	if c.basis != "" {
		if batch, ok = e.localBatch(most); !ok {
			return c, fmt.Sprintf("%s counts the ends in the batch of one process, whose size is not known; log the share of completions that were cut", c.name)
		}
	}
	if stop := e.text("stop_token"); stop != "" && stop != "eos" {
		return c, fmt.Sprintf("completions stop at %q, but %s counts end-of-sequence tokens; log the share of completions that were cut", stop, c.name)
	}
	if most > batch {
		return c, fmt.Sprintf("%s counts up to %s ends in %s completions: the pads are of the same token; log the share of completions that were cut", c.name, short(most), short(batch))
	}
	name := c.name
	c = c.linear(-1/batch, 1)
	c.unit, c.basis = record.Share, fmt.Sprintf("1 - %s / %s: those without an end", name, short(batch))
	return c, ""
}

// localBatch is the number of completions in the batch of one process, of which so many have an
// end. That of all processes is it, too, where more than half of it has an end: then there is one.
func (e *evidence) localBatch(ended float64) (float64, bool) {
	if n, ok := e.setting("local_batch_size"); ok {
		return n, n > 0
	}
	device, ok := e.setting("per_device_train_batch_size")
	if again, known := e.setting("gradient_accumulation_steps"); ok && known {
		if mini, known := e.setting("num_mini_batches"); known {
			return device * again * mini, device*again*mini > 0
		}
	}
	all, ok := e.setting("batch_size")
	return all, ok && ended > all/2
}

// text returns a setting that is a word.
func (e *evidence) text(name string) string {
	for value := range e.settings(name) {
		if word, ok := value.(string); ok {
			return word
		}
	}
	return ""
}

// atLimit is whether a completion has as many tokens as the settings allow. Where some have more,
// the limit is not theirs.
func (e *evidence) atLimit() (textQuantity, bool) {
	limit, ok := e.longest()
	if !ok || e.texts.unit != record.Tokens || len(e.texts.steps) == 0 {
		return textQuantity{}, false
	}
	over := func(s sample) bool {
		return slices.ContainsFunc(s.completions, func(c record.Completion) bool { return float64(c.Tokens) > limit })
	}
	if slices.ContainsFunc(e.texts.steps, over) || over(e.texts.base) {
		return textQuantity{}, false
	}
	return textQuantity{
		name: fmt.Sprintf("%s tokens, the maximum length of the settings", short(limit)), unit: record.Share, indicator: true,
		value: func(_ *texts, c record.Completion) float64 { return share(float64(c.Tokens) >= limit) },
	}, true
}

// longest is the number of tokens that a completion may have.
func (e *evidence) longest() (float64, bool) {
	limit, ok := e.setting("response_length", "max_completion_length", "max_response_length", "max_new_tokens", "generate_max_len")
	return limit, ok && limit > 0 && !math.IsInf(limit, 0)
}
