package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// sim makes up runs as trainers log them. The values of each quantity follow a path from the
// beginning of the run (0) to its end (1), with noise that is correlated from step to step,
// has heavy tails, and now and then a spike of a single step: what a trend must be told from.
type sim struct {
	random *rand.Rand
	run    *record.Run
	// values of a series, and steps of training between two.
	values int
	every  int64
	// loud scales all noise, memory is how much of it one step leaves to the next.
	loud, memory float64
}

func newSim(seed uint64) *sim {
	random := rand.New(rand.NewPCG(seed, 7))
	s := &sim{random: random, every: 1 + random.Int64N(20)}
	s.values = 60 + random.IntN(400)
	s.loud = 0.5 + 1.5*random.Float64()
	s.memory = []float64{0, 0.5, 0.8}[random.IntN(3)]
	s.run = &record.Run{Dir: "/run", Config: map[string]any{}}
	return s
}

// between draws a parameter of the run.
func (s *sim) between(low, high float64) float64 { return low + (high-low)*s.random.Float64() }

// tail is noise with three degrees of freedom, of variance 1.
func (s *sim) tail() float64 {
	chi := 0.0
	for range 3 {
		z := s.random.NormFloat64()
		chi += z * z
	}
	return s.random.NormFloat64() / math.Sqrt(chi)
}

// noise is one value after another of correlated noise of variance 1.
func (s *sim) noise() func() float64 {
	state := s.tail()
	return func() float64 {
		state = s.memory*state + math.Sqrt(1-s.memory*s.memory)*s.tail()
		return state
	}
}

// unit is what the values of a quantity can be.
type bounds struct{ low, high float64 }

var (
	any01     = bounds{0, 1}
	positive  = bounds{0, math.Inf(1)}
	unbounded = bounds{math.Inf(-1), math.Inf(1)}
)

// log adds a series that follows a path; one value in a hundred is a spike.
func (s *sim) log(q record.Quantity, unit record.Unit, path func(float64) float64, noise, spike float64, in bounds) *record.Series {
	series := record.NewSeries("trainer_state.json", string(q))
	series.Quantity, series.Unit = q, unit
	next := s.noise()
	for i := range s.values {
		x := float64(i) / float64(s.values-1)
		v := path(x) + s.loud*noise*next()
		if s.random.Float64() < 0.01 {
			v += spike
		}
		series.Add(int64(i+1)*s.every, min(max(v, in.low), in.high))
	}
	s.run.Series = append(s.run.Series, series)
	return series
}

func (s *sim) drop(q record.Quantity) {
	var kept []*record.Series
	for _, series := range s.run.Series {
		if series.Quantity != q {
			kept = append(kept, series)
		}
	}
	s.run.Series = kept
}

// again replaces a quantity by another path.
func (s *sim) again(q record.Quantity, unit record.Unit, path func(float64) float64, noise float64, in bounds) *record.Series {
	s.drop(q)
	return s.log(q, unit, path, noise, 0, in)
}

func (s *sim) last() int64 { return int64(s.values) * s.every }

// rising goes from a to b and flattens.
func rising(a, b float64) func(float64) float64 {
	return func(x float64) float64 { return a + (b-a)*(1-math.Exp(-3*x))/(1-math.Exp(-3)) }
}

func flat(a float64) func(float64) float64 { return func(float64) float64 { return a } }

// breaking is as the path until at, then goes off to b until 1.
func breaking(path func(float64) float64, at, b float64) func(float64) float64 {
	return func(x float64) float64 {
		if x <= at {
			return path(x)
		}
		return path(at) + (b-path(at))*min(1, (x-at)/(0.9-at))
	}
}

// clean is a run in which nothing goes wrong: the reward rises and flattens, the KL grows to a
// few nats, answers become somewhat longer, the value function learns.
func clean(seed uint64) *sim {
	s := silent(seed)
	s.completions(20, 32, writer{})
	return s
}

// silent is a clean run that logged no completions.
func silent(seed uint64) *sim {
	s := newSim(seed)
	s.log(record.Reward, record.Points, rising(s.between(-1, 0), s.between(1, 2)), 0.15, -1, unbounded)
	s.log(record.RewardStd, record.Points, rising(1, s.between(0.6, 1.2)), 0.12, 0.5, positive)
	s.log(record.ZeroStdGroups, record.Share, rising(0.1, s.between(0.1, 0.35)), 0.1, 0.5, any01)
	s.log(record.KLReference, record.NatsPerSequence, rising(0, s.between(2, 7)), 0.5, 60, unbounded)
	s.log(record.Length, record.Tokens, rising(50, s.between(42, 60)), 4, 80, positive)
	s.log(record.Truncated, record.Share, flat(s.between(0, 0.1)), 0.04, 0.9, any01)
	s.log(record.Entropy, record.NatsPerToken, rising(2, s.between(1.4, 2.1)), 0.1, -1.5, positive)
	s.log(record.ClipFraction, record.Share, rising(0.05, s.between(0.05, 0.2)), 0.03, 0.7, any01)
	s.log(record.ApproxKL, record.NatsPerToken, rising(0.002, s.between(0.003, 0.02)), 0.003, 1, positive)
	s.log(record.Ratio, record.Plain, flat(1), 0.015, 5, positive)
	s.log(record.ExplainedVariance, record.Share, rising(-0.3, s.between(0.4, 0.9)), 0.12, -2, unbounded)
	s.log(record.EffectiveSamples, record.Share, flat(s.between(0.8, 0.95)), 0.04, -0.6, any01)
	s.log(record.EngineMismatch, record.NatsPerToken, flat(0.02), 0.006, 1, positive)
	s.log(record.PolicyLoss, record.Plain, flat(0), 0.02, 1, unbounded)
	s.heldOut(rising(0.3, s.between(0.5, 0.7)), 0.02)
	s.parts(seed)
	for i := int64(1); i <= 5; i++ {
		step := i * s.last() / 5
		s.run.Checkpoints = append(s.run.Checkpoints, record.Checkpoint{Step: step, Path: fmt.Sprintf("checkpoint-%d", step)})
	}
	return s
}

// heldOut adds an evaluation at 20 steps.
func (s *sim) heldOut(path func(float64) float64, noise float64) {
	s.drop(record.HeldOut)
	all := s.log(record.HeldOut, record.Points, path, noise, 0, unbounded)
	var kept []record.Point
	for i := range 21 {
		kept = append(kept, all.Points[i*(len(all.Points)-1)/20])
	}
	all.Points = kept
}

// parts adds four reward functions: one that is soon learned, one that is learned slowly,
// one that is rarely called for, and one for short answers; the last two may lose a third of what
// they began with.
func (s *sim) parts(seed uint64) {
	own := *s
	own.random = rand.New(rand.NewPCG(seed, 8))
	for _, part := range []struct {
		name       string
		start, end float64
		noise      float64
	}{
		{"rewards/format/mean", own.between(0.05, 0.6), own.between(0.6, 0.95), 0.05},
		{"rewards/accuracy/mean", own.between(0.1, 0.4), own.between(0.4, 0.7), own.between(0.03, 0.15)},
		{"rewards/tool/mean", own.between(0.02, 0.2), own.between(0.02, 0.2), own.between(0.01, 0.05)},
		{"rewards/conciseness/mean", own.between(0.3, 0.6), own.between(0.2, 0.6), 0.05},
	} {
		end := part.end
		if part.name != "rewards/format/mean" {
			end = max(end, part.start/1.5)
		}
		own.log(record.RewardPart, record.Points, rising(part.start, end), part.noise, -0.5, any01).Name = part.name
	}
	s.run = own.run
}

// writer says how a policy writes at a part x of the run.
type writer struct {
	// words is how many more words it writes than the base, as a factor; loops is the share of
	// answers that repeat themselves; opening and refusing are shares too; stock is the share of
	// answers that are one stock answer; script the share in another script.
	words                                   func(x float64) float64
	loops, opening, refusing, stock, script func(x float64) float64
	// perWord is what the reward pays for a word rather than for quality.
	perWord float64
}

// completions adds batches of answers to the same prompts at so many steps, and the base's.
func (s *sim) completions(steps, prompts int, w writer) {
	s.run.Batches = nil
	for i := range steps {
		x := float64(i) / float64(steps-1)
		step := max(1, int64(math.Round(x*float64(s.last()))))
		s.run.Batches = append(s.run.Batches, s.batch(step, prompts, x, w))
	}
	base := s.batch(0, prompts, 0, writer{})
	base.Base = true
	s.run.Batches = append(s.run.Batches, base)
}

// forget drops the prompts of all completions, as a log does that holds answers only.
func (s *sim) forget() {
	for _, b := range s.run.Batches {
		for k := range b.Kept {
			b.Kept[k].Prompt = ""
		}
	}
}

func (s *sim) batch(step int64, prompts int, x float64, w writer) record.Batch {
	b := record.Batch{Source: "completions.jsonl", Step: step, Total: int64(prompts)}
	for p := range prompts {
		text := s.answer(x, w)
		reward := 0.5 + 0.3*s.random.NormFloat64()
		if words := float64(len(strings.Fields(text))); w.perWord > 0 {
			reward += w.perWord * words
		} else {
			reward += rising(0, 1)(x)
		}
		b.Kept = append(b.Kept, record.Completion{Prompt: fmt.Sprint("prompt ", p), Text: text, Rewards: map[string]float64{"reward": reward}})
	}
	return b
}

func (s *sim) answer(x float64, w writer) string {
	chance := func(path func(float64) float64) bool { return path != nil && s.random.Float64() < path(x) }
	switch {
	case chance(w.stock):
		return "What a wonderful and thoughtful question that is, and thank you so much for asking it of me today"
	case chance(w.script):
		return strings.Repeat("это совсем другой язык ", 5)
	case chance(w.refusing):
		return "I'm sorry, but I cannot help with that. " + s.words(20, 0)
	case chance(w.opening):
		return "Great question! Let me explain this: " + s.words(40, 0)
	}
	n := 30 + s.random.IntN(40)
	if w.words != nil {
		n = int(float64(n) * w.words(x))
	}
	loop := 0
	if chance(w.loops) {
		loop = n / 2
	}
	return s.words(n-loop, loop)
}

// words are n words by Zipf's law, then a loop of so many.
func (s *sim) words(n, loop int) string {
	zipf := rand.NewZipf(s.random, 1.1, 4, 5000)
	var out []string
	for range n {
		out = append(out, fmt.Sprintf("w%d", zipf.Uint64()))
	}
	for i := range loop {
		out = append(out, []string{"very", "good", "indeed"}[i%3])
	}
	return strings.Join(out, " ")
}
