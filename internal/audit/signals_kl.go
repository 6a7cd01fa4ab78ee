package audit

import (
	"fmt"
	"math"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// Where the borders of the KL to the reference come from.
const (
	basisKLSequence = "TRL's FAQ keeps the sum over the sequence between 0 and 10; 25 is our choice; for long completions 0.1 per token"
	basisKLToken    = "verl's adaptive controller aims at 0.1; 0.5 is our choice"
)

const (
	klHurts = "the reward model is unreliable on text this far from the reference, so a rising score says little about quality"
	klHelp  = raiseKL + ", lower the learning rate, or take an earlier checkpoint"
)

// klPerToken is the divergence per token that verl's controller aims at.
const klPerToken = 0.1

// klReference judges how far the policy is from the reference, in the unit of the log.
// Where both the sum over the sequence and the mean over tokens are logged, the worse holds.
func klReference(e *evidence) Signal {
	var judged []Signal
	for _, unit := range []record.Unit{record.NatsPerSequence, record.NatsPerToken} {
		if c, ok := e.curve(record.KLReference, unit); ok && c.constant(0) {
			judged = append(judged, noDistance(c))
		} else if ok {
			judged = append(judged, e.klTest(c).signal())
		}
	}
	if len(judged) > 0 {
		return worst(judged)
	}
	if c, ok := e.texts.kl(); ok {
		return e.klTest(c).signal()
	}
	if c, ok := e.curve(record.KLReference); ok {
		return sumOrMean(c, record.KLReference)
	}
	return e.noKL()
}

// sumOrMean is the answer where nothing says over what a divergence was added up.
func sumOrMean(c curve, q record.Quantity) Signal {
	return unknown("whether %s is a sum over the sequence or a mean over tokens is not known, and they differ by a factor of hundreds; say which: %s, or %s",
		c.name, metricFlag(c.name, q, record.NatsPerSequence), metricFlag(c.name, q, record.NatsPerToken))
}

// metricFlag is what to write on the command line to say what a metric measures.
func metricFlag(name string, q record.Quantity, unit record.Unit) string {
	return "--metric " + words.Typed(name+"="+string(q)+":"+unit.Typed())
}

// noUnitOfKL is the answer of the signals that need a KL with a unit.
func (e *evidence) noUnitOfKL() Signal {
	if c, ok := e.curve(record.KLReference); ok {
		return sumOrMean(c, record.KLReference)
	}
	return unknown("the KL to the reference is not logged")
}

// noDistance is a KL that is exactly 0, which no update leaves so.
func noDistance(c curve) Signal {
	return unknown("%s is 0 at every step: either its coefficient is 0 and it is not computed, or the reference is the policy itself and changes with it; compare the weights of the two", c.name)
}

// raiseKL is what the advice of several signals says of the penalty.
const raiseKL = "raise the KL coefficient"

// coefficients are the names of the weight of the KL to the reference.
var coefficients = []string{"beta", "kl_coef", "init_kl_coef", "kl_loss_coef"}

// unheld rewrites advice to raise a coefficient that the settings say is 0.
func (e *evidence) unheld(note string) string {
	none := ""
	for _, name := range coefficients {
		switch v, ok := e.setting(name); {
		case ok && v != 0:
			return note
		case ok && none == "":
			none = name
		}
	}
	if none == "" {
		return note
	}
	return strings.Replace(note, raiseKL, "give the KL a coefficient ("+none+" is 0, so nothing holds the policy to the reference)", 1)
}

// noKL tells a KL that was not computed from one that was not logged.
func (e *evidence) noKL() Signal {
	if beta, ok := e.setting(coefficients...); ok && beta == 0 {
		return unknown("the KL to the reference is not logged because its coefficient is 0, so nothing measures how far the policy moved; set a small coefficient such as 1e-6, or log the log-probs of the reference with the completions")
	}
	if e.trainer("trl grpo") {
		return unknown("the KL to the reference is not logged: TRL's GRPOTrainer computes it only where beta is not 0, and 0 is the default; set a small beta such as 1e-6, or log the log-probs of the reference with the completions")
	}
	return unknown("the KL to the reference is not logged; log its sum over the sequence, or its mean over tokens")
}

func (e *evidence) klTest(c curve) test {
	c.trap = "" // what hides it makes it 0 at every step
	t := test{curve: c, what: "KL to the reference", hurts: klHurts, help: klHelp}
	if c.unit == record.NatsPerToken {
		t.basis = basisKLToken
		return t.within(klPerToken, 0.5)
	}
	long := klPerToken * e.tokens()
	t.basis = basisKLSequence
	return t.within(max(10, long), max(25, long))
}

// within warns and alerts over two borders. A policy that is over the first one in the first
// steps, when at most one update was made, did not begin as the reference: then it alerts where
// training took it as far again.
func (t test) within(warn, alert float64) test {
	if p := t.curve.points; len(p) > 0 && p[0].Step <= 2 && p[0].Value > warn {
		alert += p[0].Value
		t.hurts = fmt.Sprintf("it was %s when training began, so the reference is not the base model: another checkpoint, or an adapter that is off for the reference", short(p[0].Value))
		t.help = "check that both are the models you mean; if they are, judge how much further the policy moved"
	}
	t.borders = []border{alertOver(alert), warnOver(warn)}
	return t
}

// klNegative judges estimates below 0, which a divergence never is: the samples do not come
// from the policy whose log-probs are taken. Only k1 can show it.
func klNegative(e *evidence) Signal {
	c, ok := e.curve(record.KLReference, record.NatsPerSequence)
	at := -1.0
	if !ok {
		c, ok = e.curve(record.KLReference, record.NatsPerToken)
		at = -0.01
	}
	if !ok {
		c, ok = e.texts.kl()
		at = -1
	}
	if !ok {
		return e.noUnitOfKL()
	}
	return test{
		curve: c, borders: []border{warnUnder(at)}, what: "KL to the reference",
		basis: "TRL warns below -1 per sequence; -0.01 per token is our choice",
		hurts: "a KL is never negative: the completions are not samples of the policy whose log-probs are used, and the penalty rewards what it should punish",
		help:  "sample without top_k, top_p and min_length, at the temperature of the log-probs, with dropout off",
	}.signal()
}

// klPerReward judges what the last third of the run paid in KL for what it gained in
// reward, in the run's own terms.
func klPerReward(e *evidence) Signal {
	reward, ok := e.reward()
	if !ok {
		return unknown("the reward is not logged")
	}
	kl, ok := e.curve(record.KLReference, record.NatsPerSequence, record.NatsPerToken)
	if !ok {
		return e.noUnitOfKL()
	}
	if len(kl.points) < 3*fewestValues || len(reward.points) < 3*fewestValues {
		return unknown("fewer than %d values of KL and reward are logged", 3*fewestValues)
	}
	return spending(kl, reward)
}

// spending compares the thirds of a run: KL paid in each, and reward gained for it.
func spending(kl, reward curve) Signal {
	k, r := thirds(kl), thirds(reward)
	paid, gained := k[2].mean-k[0].mean, r[2].mean-r[0].mean
	price := paid / gained
	s := Signal{
		Level: OK, Value: &price, Unit: kl.unit, Threshold: "half the KL for less than 5 % of the gain, in the last third",
		Basis: "Gao et al. 2022: past the peak, KL grows and the gold score does not; the threshold is our choice",
		Note:  fmt.Sprintf("%s %s of KL per point of reward, from the first third of the run to the last", short(price), kl.unit),
	}
	if !(gained > 0) || !(paid > 0) {
		s.Value = nil
		s.Level, s.Note = Unknown, "reward and KL did not both rise, so a point of reward has no price in KL"
		return s
	}
	late, lateGain := k[2].mean-k[1].mean, r[2].mean-r[1].mean
	noise := certain * math.Hypot(r[2].stderr, r[1].stderr)
	if late > paid/2 && late > 5*floor(kl.unit) && lateGain+noise < gained/20 {
		s.Level, s.Step = Warn, &r[2].from
		s.Note = fmt.Sprintf("the last third of the run spent %s %s of KL and gained %s of reward", short(late), kl.unit, short(lateGain))
		s.Why, s.Help = "moving away from the reference without gaining reward is where reward hacking starts", "stop earlier, or "+raiseKL
	}
	return s
}

// floor is a divergence that is small whatever the run.
func floor(unit record.Unit) float64 {
	if unit == record.NatsPerToken {
		return 0.01
	}
	return 1
}

// third is the mean over a third of a curve.
type third struct {
	mean, stderr float64
	from         int64
}

func thirds(c curve) (t [3]third) {
	n := len(c.points)
	for i := range t {
		part := c.points[i*n/3 : (i+1)*n/3]
		values := make([]float64, len(part))
		for j, p := range part {
			values[j] = p.Value
		}
		mean, std := meanStd(values)
		t[i] = third{mean: mean, stderr: std / math.Sqrt(float64(len(part))), from: part[0].Step}
	}
	return t
}
