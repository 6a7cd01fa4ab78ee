package audit

import (
	"slices"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// checkpoints are the saved states with what is known of each. Where none was saved, the
// steps at which held-out scores or completions were logged stand for them.
func (e *evidence) checkpoints(signals []Signal) []Checkpoint {
	list := []Checkpoint{}
	metrics := e.metrics()
	for _, saved := range e.candidates() {
		c := Checkpoint{Step: saved.Step, Path: saved.Path, Metrics: map[string]Metric{}, Disqualified: alertsAt(signals, saved.Step)}
		for _, m := range metrics {
			if value, ok := m.at(saved.Step); ok && finite(value.Value) {
				c.Metrics[m.name] = value
			}
		}
		list = append(list, c)
	}
	return list
}

// candidates are the saved checkpoints by step, or else the steps of judgements, of held-out scores, or of
// completions.
func (e *evidence) candidates() []record.Checkpoint {
	saved := slices.Clone(e.run.Checkpoints)
	if len(saved) == 0 {
		for _, step := range e.knownSteps() {
			saved = append(saved, record.Checkpoint{Step: step})
		}
	}
	slices.SortStableFunc(saved, func(a, b record.Checkpoint) int { return int(a.Step - b.Step) })
	return slices.CompactFunc(saved, func(a, b record.Checkpoint) bool { return a.Step == b.Step })
}

func (e *evidence) knownSteps() []int64 {
	if held := e.primary(); held != nil {
		steps, _ := held.scores()
		return steps
	}
	var steps []int64
	for _, s := range e.texts.steps {
		steps = append(steps, s.step)
	}
	return steps
}

// metric is something that is told of each checkpoint.
type metric struct {
	name string
	at   func(step int64) (Metric, bool)
}

// metrics are all that the run gives: held-out scores, and curves near to the checkpoint.
func (e *evidence) metrics() []metric {
	var all []metric
	for _, h := range e.held {
		all = append(all, metric{h.name(), h.at})
	}
	reach := (e.last - e.first) / 20
	add := func(name string, c curve, ok bool) {
		if ok {
			all = append(all, metric{name, func(step int64) (Metric, bool) { return c.metric(step, reach) }})
		}
	}
	reward, ok := e.reward()
	add("reward", reward, ok)
	kl, ok := e.anyKL()
	add("kl_reference", kl, ok)
	length, ok := e.length()
	add("length", length, ok)
	drift, ok := e.relativeLength()
	add("length_drift", drift, ok)
	rep, ok := e.texts.drift(textRepetition)
	add("rep_4", rep, ok)
	apart, ok := e.curve(record.RewardDisagreement)
	add("reward_disagreement", apart, ok)
	return all
}

// anyKL is the KL to the reference in a known unit.
func (e *evidence) anyKL() (curve, bool) {
	if c, ok := e.curve(record.KLReference, record.NatsPerSequence, record.NatsPerToken); ok {
		return c, true
	}
	return e.texts.kl()
}

// alertsAt are the names of the signals that alert at a step: in a stretch that had begun
// by then and had not ended.
func alertsAt(signals []Signal, step int64) []string {
	names := []string{}
	for _, s := range signals {
		if slices.ContainsFunc(s.Spans, func(span Span) bool { return span.holds(step) }) {
			names = append(names, s.Name)
		}
	}
	return names
}

func (s Span) holds(step int64) bool { return s.From <= step && (s.To < 0 || step <= s.To) }

func bySpan(a, b Span) int { return int(a.From - b.From) }
