package watch

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// Value is what a place was at one evaluation.
type Value struct {
	Seed    int    `json:"seed"`
	Process string `json:"process,omitempty"` // of the program; "" for the first
	Hit     int    `json:"evaluation"`        // from 0
	Step    int    `json:"step"`              // optimizer steps before it
	// Rounds are those of the loops around the place, the outer one first, from 0; before them
	// the call of its function where that is called more than once. The first is the update, the
	// second the mini-epoch, the third the mini-batch.
	Rounds   []int   `json:"rounds"`
	Shape    []int   `json:"shape"`
	Type     string  `json:"dtype"`
	Count    int     `json:"count"`
	Mean     *Number `json:"mean"`
	Std      *Number `json:"std,omitempty"`
	Low      *Number `json:"low"`
	High     *Number `json:"high"`
	NaN      int     `json:"nan"`
	Inf      int     `json:"inf"`
	Zeros    int     `json:"zeros"`
	Attached bool    `json:"requires_grad"`
	// Clipped is the share of a ratio's numbers beyond the clip range, KL the mean of r - 1 - log r:
	// Schulman 2020, Approximating KL Divergence, k3.
	Clipped *Number `json:"clipped,omitempty"`
	KL      *Number `json:"kl,omitempty"`
}

// Number is a number that JSON may not have: NaN and the infinities are texts.
type Number float64

// UnmarshalJSON reads a number, or the text of one.
func (n *Number) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseFloat(string(bytes.Trim(text, `"`)), 64)
	*n = Number(v)
	return err
}

// MarshalJSON writes it so.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return json.Marshal(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return json.Marshal(float64(n))
}

// readValues reads the lines of a file that a probe wrote; one that is cut off, because the run was
// ended, is left out.
func readValues(text []byte, seed int, process string) (out []Value) {
	for line := range bytes.Lines(text) {
		v := Value{Seed: seed, Process: process}
		if json.Unmarshal(line, &v) == nil {
			out = append(out, v)
		}
	}
	return out
}

// withoutOuter drops the rounds that never change, from the outside: the only call of main().
func withoutOuter(values []Value) []Value {
	for len(values) > 0 && len(values[0].Rounds) > 0 {
		first := values[0].Rounds[0]
		if slices.ContainsFunc(values, func(v Value) bool { return len(v.Rounds) == 0 || v.Rounds[0] != first }) {
			break
		}
		for i := range values {
			values[i].Rounds = values[i].Rounds[1:]
		}
	}
	return values
}

// Update is the update of a value, Epoch the mini-epoch in it, from 0. Where no loop goes around
// the place an update is an evaluation.
func (v Value) Update() int {
	if len(v.Rounds) == 0 {
		return v.Hit
	}
	return v.Rounds[0]
}

// Epoch is the mini-epoch of a value in its update, from 0.
func (v Value) Epoch() int {
	if len(v.Rounds) < 2 {
		return 0
	}
	return v.Rounds[1]
}

// Group is what a place was in one mini-epoch of one update: means over its mini-batches, weighted
// by their numbers, and the extremes.
type Group struct {
	Seed, Update, Epoch, Evaluations, Count, NaN, Inf, Zeros int
	Mean, Std, Low, High, Clipped, KL                        float64 // NaN where not known
	Attached                                                 bool
	Shape                                                    []int
}

// Groups puts the values of the first process together by seed, update and mini-epoch, in their order.
func Groups(values []Value) (out []Group) {
	for _, v := range values {
		last := len(out) - 1
		if last < 0 || out[last].Seed != v.Seed || out[last].Update != v.Update() || out[last].Epoch != v.Epoch() {
			nan := math.NaN()
			out = append(out, Group{Seed: v.Seed, Update: v.Update(), Epoch: v.Epoch(), Mean: nan, Std: nan, Low: nan, High: nan, Clipped: nan, KL: nan, Shape: v.Shape})
			last++
		}
		out[last].add(v)
	}
	return out
}

func (g *Group) add(v Value) {
	before, n := float64(g.Count), float64(v.Count)
	mean := func(into *float64, x *Number) {
		switch {
		case x == nil || n == 0:
		case math.IsNaN(*into):
			*into = float64(*x)
		default:
			*into = (*into*before + float64(*x)*n) / (before + n)
		}
	}
	mean(&g.Mean, v.Mean)
	mean(&g.Std, v.Std)
	mean(&g.Clipped, v.Clipped)
	mean(&g.KL, v.KL)
	if v.Low != nil {
		g.Low = math.Min(orElse(g.Low, float64(*v.Low)), float64(*v.Low))
		g.High = math.Max(orElse(g.High, float64(*v.High)), float64(*v.High))
	}
	g.Evaluations++
	g.Count, g.NaN, g.Inf, g.Zeros = g.Count+v.Count, g.NaN+v.NaN, g.Inf+v.Inf, g.Zeros+v.Zeros
	g.Attached = g.Attached || v.Attached
}

func orElse(v, other float64) float64 {
	if math.IsNaN(v) {
		return other
	}
	return v
}

// bySeed cuts groups where another seed begins.
func bySeed(groups []Group) (out [][]Group) {
	for begin := 0; begin < len(groups); {
		end := begin
		for end < len(groups) && groups[end].Seed == groups[begin].Seed {
			end++
		}
		out, begin = append(out, groups[begin:end]), end
	}
	return out
}
