package audit

import "github.com/rlvet/rlvet/internal/audit/record"

const rolloutHelp = "use the same precision, temperature and weights in both, or correct with truncated importance weights"

// effectiveSamples judges how many samples the importance weights leave.
func effectiveSamples(e *evidence) Signal {
	c, ok := e.curve(record.EffectiveSamples)
	if !ok {
		return unknown("the effective sample size of the importance weights is not logged")
	}
	if c.unit != record.Share {
		if c.unit != "" {
			return unknown("%s is in %s, and what is judged is a share of the samples, 0 to 1; divide it by the number of samples", c.name, c.unit)
		}
		return unknown("whether %s is a share of the samples, 0 to 1, or a number of them is not known; if it is a share, say so: %s; if not, log it divided by the number of samples", c.name, metricFlag(c.name, record.EffectiveSamples, record.Share))
	}
	return test{
		curve: c, what: "effective samples as a share of all",
		borders: []border{alertUnder(0.3), warnUnder(0.5)}, basis: "verl's documentation: 0.3; 0.5 is our choice",
		hurts: "a few samples make the whole gradient, so it is mostly noise",
		help:  "collect with newer weights, truncate the importance weights, or use each batch less often",
	}.signal()
}

// engineMismatch judges whether the engine that samples and the trainer that scores have
// the same policy: by the mean of their ratio, and by the distance of their log-probs.
func engineMismatch(e *evidence) Signal {
	var judged []Signal
	if c, ok := e.curve(record.EngineRatio); ok {
		judged = append(judged, engineTest(c, "verl's documentation: 0.5 to 2; 0.9 to 1.1 is our choice",
			alertOver(2), alertUnder(0.5), warnOver(1.1), warnUnder(0.9)))
	}
	if c, ok := e.curve(record.EngineMismatch, record.NatsPerToken, record.Nats); ok {
		judged = append(judged, engineTest(c, "verl's documentation: 0.1; 0.5 is our choice (0.86 was measured with dropout left on)",
			alertOver(0.5), warnOver(0.1)))
	}
	if c, ok := e.curve(record.EngineMismatch, record.Share); ok {
		judged = append(judged, engineTest(c, "our choice", alertOver(0.2), warnOver(0.05)))
	}
	if len(judged) > 0 {
		return worst(judged)
	}
	if c, ok := e.curve(record.EngineMismatch); ok {
		return unknown("whether %s is a difference of log-probs or of probabilities is not known, and each has thresholds of its own; say which: %s, or %s",
			c.name, metricFlag(c.name, record.EngineMismatch, record.Nats), metricFlag(c.name, record.EngineMismatch, record.Share))
	}
	return unknown("the difference between the log-probs of the rollout engine and the trainer is not logged; if one program does both, there is none")
}

func engineTest(c curve, basis string, borders ...border) Signal {
	return test{
		curve: c, borders: borders, basis: basis, what: "mismatch of the rollout engine and the trainer",
		hurts: "the samples come from another policy than the one being updated, so the gradient is biased",
		help:  rolloutHelp,
	}.signal()
}
