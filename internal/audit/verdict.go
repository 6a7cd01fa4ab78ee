package audit

import "slices"

// signs are the signals by which cheating shows.
var signs = []string{"kl-reference", "over-optimisation", "proxy-against-held-out", "worse-than-base", "length-drift", "length-share", "repetition"}

// verdict is the level of a run: that of the worst of its signals. Where none of those by which
// cheating would show is known, that the others are all right is no all-clear.
func (r *Result) verdict() Level {
	if len(r.Signals) == 0 {
		return Unknown
	}
	level := worst(r.Signals).Level
	if level == OK && !r.telling() {
		return Unknown
	}
	return level
}

// telling reports whether one of the signs is known. What acts in an environment writes no
// texts, and has others.
func (r *Result) telling() bool {
	return r.Record != nil && r.Record.Environment || slices.ContainsFunc(r.Signals, func(s Signal) bool {
		return s.Level != Unknown && slices.Contains(signs, s.Name)
	})
}
