package audit

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// state is a checkpoint as a test describes it: what judges, the KL, the length and an alert say.
type state struct {
	step             int64
	wins             float64 // share of prompts on which it wins
	kl, reward       float64
	length, judgedBy float64 // mean tokens; prompts judged
	truncated        bool
}

// runOf is a run whose log is flat around each checkpoint.
func runOf(states ...state) *record.Run {
	run := &record.Run{Dir: "/run", Config: map[string]any{}}
	kl, reward, length, truncated := record.NewSeries("log", "kl"), record.NewSeries("log", "reward"), record.NewSeries("log", "length"), record.NewSeries("log", "cut")
	kl.Quantity, kl.Unit = record.KLReference, record.NatsPerSequence
	reward.Quantity, reward.Unit = record.Reward, record.Points
	length.Quantity, length.Unit = record.Length, record.Tokens
	truncated.Quantity, truncated.Unit = record.Truncated, record.Share
	run.Series = []*record.Series{kl, reward, length, truncated}
	for _, s := range states {
		for i := int64(-12); i <= 12; i++ {
			kl.Add(s.step+i, s.kl)
			reward.Add(s.step+i, s.reward)
			length.Add(s.step+i, s.length)
			truncated.Add(s.step+i, share(s.truncated))
		}
		run.Checkpoints = append(run.Checkpoints, record.Checkpoint{Step: s.step, Path: fmt.Sprintf("checkpoint-%d", s.step)})
		for p := range int(s.judgedBy) {
			outcome := record.Loss
			if float64(p) < s.wins*s.judgedBy {
				outcome = record.Win
			}
			run.Judgements.Preferences = append(run.Judgements.Preferences, record.Preference{Step: s.step, Prompt: fmt.Sprintf("%03d", p*37%int(s.judgedBy)), Rater: "ann", Outcome: outcome})
		}
	}
	return run
}

// TestChoice: the rules, one by one.
func TestChoice(t *testing.T) {
	for _, c := range []struct {
		name     string
		states   []state
		take     int64 // 0 for none
		byReward int64
		says     string
	}{
		{"the highest win rate", []state{
			{step: 100, wins: 0.5, kl: 2, reward: 1, length: 50, judgedBy: 80}, {step: 200, wins: 0.8, kl: 3, reward: 2, length: 50, judgedBy: 80}, {step: 300, wins: 0.55, kl: 5, reward: 3, length: 50, judgedBy: 80},
		}, 200, 300, "highest lower bound of the checkpoints without an alert: 80 % (95 %: "},
		{"never one with an alert, though it wins", []state{
			{step: 100, wins: 0.6, kl: 2, reward: 1, length: 50, judgedBy: 80}, {step: 200, wins: 0.9, kl: 3, reward: 2, length: 50, judgedBy: 80, truncated: true},
		}, 100, 200, ""},
		{"a surer one before a higher one of few prompts", []state{
			{step: 100, wins: 0.7, kl: 2, reward: 1, length: 50, judgedBy: 200}, {step: 200, wins: 0.75, kl: 3, reward: 2, length: 50, judgedBy: 12},
		}, 100, 200, "not significantly better than checkpoint-200"},
		{"of equals the one that went less far", []state{
			{step: 100, wins: 0.7, kl: 2, reward: 1, length: 50, judgedBy: 80}, {step: 200, wins: 0.7, kl: 6, reward: 2, length: 50, judgedBy: 80},
		}, 100, 200, "not significantly better than checkpoint-200"},
		{"none where all alert", []state{
			{step: 100, wins: 0.6, kl: 60, reward: 1, length: 50, judgedBy: 80}, {step: 200, wins: 0.9, kl: 70, reward: 2, length: 50, judgedBy: 80},
		}, 0, 200, "signals alert at every one"},
		{"none where all are below the base", []state{
			{step: 100, wins: 0.3, kl: 2, reward: 1, length: 50, judgedBy: 200}, {step: 200, wins: 0.2, kl: 3, reward: 2, length: 50, judgedBy: 200},
		}, 0, 200, "keep the base model"},
		{"none where nobody judged", []state{
			{step: 100, kl: 2, reward: 3, length: 50}, {step: 200, kl: 3, reward: 2, length: 50},
		}, 0, 100, "93 prompts give the win rate of one to within 10 points"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Examine(runOf(c.states...), Options{})
			took := int64(0)
			said := strings.Join(append(r.Notes, r.Missing...), "\n")
			if r.Recommended != nil {
				took, said = r.Recommended.Step, r.Recommended.Why
			}
			if took != c.take || r.ByRewardAlone.Step != c.byReward || !strings.Contains(said, c.says) {
				t.Errorf("it takes %d, by reward %d:\n%s", took, r.ByRewardAlone.Step, said)
			}
		})
	}
}

// TestBelowBase: where the whole interval lies below the base a checkpoint is no choice, though no
// signal alerts at it; where the interval reaches the base it is one.
func TestBelowBase(t *testing.T) {
	r := Examine(runOf(
		state{step: 100, wins: 0.45, kl: 2, reward: 1, length: 50, judgedBy: 100},
		state{step: 200, wins: 0.4, kl: 3, reward: 2, length: 50, judgedBy: 100},
		state{step: 300, wins: 0.6, kl: 3, reward: 2, length: 50, judgedBy: 100},
	), Options{})
	for i, below := range []bool{false, true, false} {
		c := r.Checkpoints[i]
		if c.BelowBase != below || c.Pareto && below || len(c.Disqualified) > 0 {
			t.Errorf("step %d: %+v", c.Step, c)
		}
	}
}

// TestCost: what the highest reward would have lost is the difference prompt by prompt, with
// an interval that leaves out 0 where 80 prompts agree on it.
func TestCost(t *testing.T) {
	r := Examine(runOf(
		state{step: 100, wins: 0.8, kl: 2, reward: 1, length: 50, judgedBy: 80},
		state{step: 200, wins: 0.4, kl: 3, reward: 2, length: 50, judgedBy: 80},
	), Options{})
	cost := r.ByRewardAlone.Cost
	if cost == nil || math.Abs(cost.Value-0.4) > 1e-9 || *cost.Low <= 0 || *cost.High < 0.4 || cost.N != 80 {
		t.Errorf("%+v", cost)
	}
}

// TestCostOfNothing: of six checkpoints that are all alike the best one looks better than the one
// of the highest reward; that it is so beyond doubt is said of few runs, as often as of one
// difference that nobody chose, and the words say it.
func TestCostOfNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 4))
	const runs = 80
	wrong, naive := 0.0, 0.0
	for range runs {
		run := &record.Run{}
		reward := record.NewSeries("log", "reward")
		reward.Quantity, reward.Unit = record.Reward, record.Points
		for step := range int64(6) {
			for i := range int64(10) {
				reward.Add(100*step+i, float64(step))
			}
			for p := range 64 {
				run.Judgements.Preferences = append(run.Judgements.Preferences, record.Preference{Step: 100 * step, Prompt: fmt.Sprint(p), Outcome: record.Outcome(2*random.IntN(2) - 1)})
			}
		}
		run.Series = []*record.Series{reward}
		r := Examine(run, Options{Rounds: 200})
		by := r.ByRewardAlone
		if by.Cost == nil {
			continue // it is the one
		}
		wrong += share(*by.Cost.Low > 0)
		if (*by.Cost.Low <= 0) != strings.Contains(by.Note, "not significant") || !strings.Contains(by.Note, "prompt by prompt over 64 prompts") || !strings.Contains(by.Note, fmt.Sprintf("the choice of one of %d", others(r, by.Step))) {
			t.Fatalf("%+v: %s", by.Cost, by.Note)
		}
		one, _ := newEvidence(run, Options{Rounds: 200}).primary().less(r.Recommended.Step, by.Step)
		naive += share(*one.Low > 0)
	}
	if wrong/runs > 0.06 || naive <= wrong {
		t.Errorf("a cost is said of %v of the runs in which there is none; of %v without allowing for the choice", wrong/runs, naive/runs)
	}
}

// TestPareto: a checkpoint that another one beats in everything is not in the set; one that
// is best in something is.
func TestPareto(t *testing.T) {
	r := Examine(runOf(
		state{step: 100, wins: 0.5, kl: 1, reward: 1, length: 50, judgedBy: 80},
		state{step: 200, wins: 0.7, kl: 2, reward: 2, length: 50, judgedBy: 80},
		state{step: 300, wins: 0.6, kl: 3, reward: 3, length: 52, judgedBy: 80},
		state{step: 400, wins: 0.9, kl: 4, reward: 4, length: 55, judgedBy: 80},
	), Options{})
	var in []int64
	for _, c := range r.Checkpoints {
		if c.Pareto {
			in = append(in, c.Step)
		}
	}
	if !slices.Equal(in, []int64{100, 200, 400}) {
		t.Errorf("the set is %v", in)
	}
}

// TestLengthControlled: a checkpoint that wins by being longer is not taken where the lengths
// are known, and is where they are not.
func TestLengthControlled(t *testing.T) {
	run := func(lengths bool) *record.Run {
		r := runOf(state{step: 100, kl: 2, reward: 1, length: 50}, state{step: 200, kl: 3, reward: 2, length: 60})
		random := rand.New(rand.NewPCG(1, 1))
		for _, step := range []int64{100, 200} {
			for p := range 200 {
				length, chance := 50+10*random.NormFloat64(), 0.62
				if step == 200 {
					length += 20
					chance = 1 / (1 + math.Exp(-0.08*(length-50)))
				}
				outcome := record.Loss
				if random.Float64() < chance {
					outcome = record.Win
				}
				p := record.Preference{Step: step, Prompt: fmt.Sprint(p), Rater: "ann", Outcome: outcome}
				if lengths {
					p.Length, p.BaseLength = length, 50
				}
				r.Judgements.Preferences = append(r.Judgements.Preferences, p)
			}
		}
		return r
	}
	if r := Examine(run(true), Options{}); r.Primary != "win_rate_length_controlled" || r.Recommended.Step != 100 {
		t.Errorf("by %s it takes %d", r.Primary, r.Recommended.Step)
	}
	if r := Examine(run(false), Options{}); r.Primary != "win_rate" || r.Recommended.Step != 200 {
		t.Errorf("by %s it takes %d", r.Primary, r.Recommended.Step)
	}
}

// TestOverOptimisation: gold scores by the law of Gao et al. show their peak, and the
// checkpoints behind it are out; a run that ends before its peak is not accused.
func TestOverOptimisation(t *testing.T) {
	fit := func(end float64) *Result {
		s := silent(4000)
		s.loud = 0.5
		kl := func(x float64) float64 { return end * x }
		s.again(record.KLReference, record.NatsPerSequence, kl, 0.1, positive)
		s.again(record.Length, record.Tokens, flat(2000), 10, positive)
		s.heldOut(func(x float64) float64 { // the peak is at KL 16, of height 1
			d := math.Sqrt(kl(x))
			return 0.2 + d*(0.25*(1+math.Log(4))-0.25*math.Log(math.Max(d, 1e-9)))
		}, 0.01)
		return Examine(s.run, Options{Rounds: 20})
	}
	past := fit(100)
	if got := find(t, past, "over-optimisation"); got.Level != Alert || math.Abs(past.OverOptimisation.PeakKL-16) > 4 || !past.OverOptimisation.Passed {
		t.Errorf("%s: %s %+v", got.Level, got.Note, past.OverOptimisation)
	}
	for _, c := range past.Checkpoints {
		kl, out := c.Metrics["kl_reference"].Value, slices.Contains(c.Disqualified, "over-optimisation")
		if out && kl < 16 || !out && kl > 40 { // between, the score has not surely fallen yet
			t.Errorf("at a KL of %v it is %v that the checkpoint is out", kl, out)
		}
	}
	before := fit(9)
	if got := find(t, before, "over-optimisation"); got.Level != OK || before.OverOptimisation.Passed {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
}

// TestRaters: two raters who agree by chance are warned of, and told apart; a third one who
// says the contrary of the others is named.
func TestRaters(t *testing.T) {
	judged := func(raters map[string]func(truth int, r *rand.Rand) int) *Result {
		run := runOf(state{step: 100, kl: 2, reward: 1, length: 50})
		random := rand.New(rand.NewPCG(3, 3))
		for p := range 150 {
			truth := 2*random.IntN(2) - 1
			for _, name := range slices.Sorted(maps.Keys(raters)) {
				run.Judgements.Preferences = append(run.Judgements.Preferences, record.Preference{
					Step: 100, Prompt: fmt.Sprint(p), Rater: name, Outcome: record.Outcome(raters[name](truth, random)),
				})
			}
		}
		return Examine(run, Options{Rounds: 50})
	}
	honest := func(truth int, r *rand.Rand) int {
		if r.Float64() < 0.1 {
			return -truth
		}
		return truth
	}
	coin := func(_ int, r *rand.Rand) int { return 2*r.IntN(2) - 1 }
	contrary := func(truth int, _ *rand.Rand) int { return -truth }

	r := judged(map[string]func(int, *rand.Rand) int{"ann": honest, "bob": honest})
	if got := find(t, r, "rater-agreement"); got.Level != OK || r.Agreement.Statistic != "Cohen's kappa" || len(r.Agreement.Disagree) != 0 {
		t.Errorf("two honest ones: %s: %s", got.Level, got.Note)
	}
	r = judged(map[string]func(int, *rand.Rand) int{"ann": coin, "bob": honest})
	if got := find(t, r, "rater-agreement"); got.Level != Warn || !strings.Contains(got.Note, "ann and bob agree in") {
		t.Errorf("a coin: %s: %s", got.Level, got.Note)
	}
	r = judged(map[string]func(int, *rand.Rand) int{"ann": honest, "bob": honest, "cy": honest, "dot": contrary})
	if r.Agreement.Statistic != "Fleiss' kappa" || len(r.Agreement.Disagree) != 1 || !strings.HasPrefix(r.Agreement.Disagree[0], "dot agrees") {
		t.Errorf("a contrary one: %+v", r.Agreement)
	}
	r = judged(map[string]func(int, *rand.Rand) int{"ann": honest})
	if got := find(t, r, "rater-agreement"); got.Level != Unknown || r.Agreement != nil {
		t.Errorf("one rater: %s: %s", got.Level, got.Note)
	}
}

// TestAgreementThatCannotBeTold: what is missing is said of each, and never that raters agree.
func TestAgreementThatCannotBeTold(t *testing.T) {
	pref := func(step int64, prompt, rater string, o record.Outcome) record.Preference {
		return record.Preference{Step: step, Prompt: prompt, Rater: rater, Outcome: o}
	}
	for want, list := range map[string][]record.Preference{
		"nobody compared":          nil,
		"one rater judged":         {pref(1, "a", "ann", record.Win), pref(1, "a", "ann", record.Loss)},
		"no two raters judged":     {pref(1, "a", "ann", record.Win), pref(1, "b", "bob", record.Loss)},
		"no two raters judged the": {pref(1, "a", "ann", record.Win), pref(2, "a", "bob", record.Loss), pref(2, "b", "cy", record.Tie)},
		"same answer to all of 2":  {pref(1, "a", "ann", record.Tie), pref(1, "a", "bob", record.Tie), pref(1, "b", "ann", record.Tie), pref(1, "b", "bob", record.Tie)},
	} {
		run := &record.Run{Judgements: record.Judgements{Preferences: list}}
		r := Examine(run, Options{Rounds: 10})
		if got := find(t, r, "rater-agreement"); r.Agreement != nil || got.Level != Unknown || !strings.Contains(got.Note, want) {
			t.Errorf("%s: %s (%v), want %q", got.Level, got.Note, r.Agreement, want)
		}
	}
}

// TestAgreementOverPrompts: judging the same prompts at more checkpoints makes the raters'
// agreement no surer where each prompt decides how they answer.
func TestAgreementOverPrompts(t *testing.T) {
	reach := func(steps int64) float64 {
		run := &record.Run{}
		random := rand.New(rand.NewPCG(2, 9))
		for p := range 40 {
			first, second := record.Outcome(random.IntN(3)-1), record.Outcome(random.IntN(3)-1)
			if p%2 == 0 {
				second = first
			}
			for step := range steps {
				for rater, o := range map[string]record.Outcome{"ann": first, "bob": second} {
					run.Judgements.Preferences = append(run.Judgements.Preferences, record.Preference{Step: step, Prompt: fmt.Sprint(p), Rater: rater, Outcome: o})
				}
			}
		}
		a := Examine(run, Options{Rounds: 10}).Agreement
		if a.Prompts != 40 || a.Kappa.N != 40*int(steps) {
			t.Errorf("%d comparisons of %d prompts", a.Kappa.N, a.Prompts)
		}
		return *a.Kappa.High - *a.Kappa.Low
	}
	if once, often := reach(1), reach(12); math.Abs(once-often) > 1e-9 {
		t.Errorf("the interval is %v wide for one checkpoint and %v for twelve", once, often)
	}
}

// TestLengthsThatDoNotMeet: where a checkpoint's answers are all far longer than the base's,
// nothing tells how it does at equal length: the plain win rate counts, for all of them. A
// score that falls from the first checkpoint on is no law of over-optimisation either: the
// checkpoints before the fall stay.
func TestLengthsThatDoNotMeet(t *testing.T) {
	run := runOf(state{step: 100, kl: 0.3, reward: 1, length: 50}, state{step: 200, kl: 1, reward: 2, length: 55},
		state{step: 300, kl: 40, reward: 3, length: 150}, state{step: 400, kl: 60, reward: 4, length: 150}, state{step: 500, kl: 80, reward: 5, length: 150})
	random := rand.New(rand.NewPCG(3, 1))
	for i, wins := range []float64{0.58, 0.56, 0.15, 0.14, 0.15} {
		for p := range 64 {
			length := []float64{50, 55, 150, 150, 150}[i] + 5*random.NormFloat64()
			outcome := record.Loss
			if random.Float64() < wins {
				outcome = record.Win
			}
			run.Judgements.Preferences = append(run.Judgements.Preferences, record.Preference{
				Step: int64(100 * (i + 1)), Prompt: fmt.Sprint(p), Rater: "ann", Outcome: outcome, Length: length, BaseLength: 50,
			})
		}
	}
	r := Examine(run, Options{})
	if r.Primary != "win_rate" || r.Recommended == nil || r.Recommended.Step > 200 {
		t.Fatalf("by %s it takes %v", r.Primary, r.Recommended)
	}
	if cost := r.ByRewardAlone.Cost; r.ByRewardAlone.Step != 500 || cost == nil || cost.Value < 0.3 {
		t.Errorf("the reward alone takes %d, at a cost of %v", r.ByRewardAlone.Step, cost)
	}
	if list := r.Checkpoints; len(list[0].Disqualified) > 0 {
		t.Errorf("the first checkpoint is out: %v", list[0].Disqualified)
	}
}
