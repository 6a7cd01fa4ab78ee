package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Masks and the tokens that they are of
//
// What a model says of a token is masked by the mask of that token. Both were cut from tensors as wide as the text:
// tokens[:, 1:] are scored, so the mask is mask[:, 1:]. The positions of a score are those of the token that
// was picked by it; those of a mask are its own, or, of a comparison, those of the tokens that are compared.

// MaskShift is where a mask meets the scores of other tokens than its own.
type MaskShift struct {
	// At is the product, or the mean under the mask.
	At Seen
	// Mask and Tokens are what meet.
	Mask, Tokens Positions
	// By is by how many positions the mask lies behind the tokens.
	By int
	// OfText says that the mask was made by comparing tokens, or is the one by which a model knows padding.
	OfText bool
	// OfAnswer says that the mask holds a zero for each token of the prompt, so its first one is that of the answer's first token.
	OfAnswer bool
	// FarEnd says that the mask, of prompt and answer, was cut at the front, and the tokens as long at the end.
	FarEnd bool
	// Handed says that both are handed to a call that nobody follows, where they are as long as each other.
	Handed bool
}

// MaskShifts returns the masks that meet scores of tokens, on each way to where they do, with the distance of both.
func (g *Graph) MaskShifts() []MaskShift {
	var out []MaskShift
	for _, v := range g.Made("mul", "div", "masked_mean", infer.OpItem, "where", "masked_fill") {
		for _, s := range g.Paths(v) {
			of, m, ok := maskedAt(s)
			if !ok || !m.Strip().Is(domain.Mask) { // the end of an episode is of the state before
				continue
			}
			out = append(out, g.shifts(s, partsIn(of), m)...)
		}
	}
	return append(out, g.handedShifts()...)
}

// handedShifts are those of masks and scores that one call is handed. Nobody follows it, but has them meet there, as they are cut alike.
func (g *Graph) handedShifts() (out []MaskShift) {
	for v := range g.Each {
		isCall := v.Op == infer.OpCall || strings.HasPrefix(v.Op, infer.OpCall+".")
		if !isCall || v.Fn != nil || len(v.In) < 3 || !takesOne(v, domain.Mask) || !takesOne(v, domain.LogProb) || g.Values.SiteOf(v) != nil {
			continue
		}
		for _, s := range g.Paths(v) {
			for _, x := range s.shiftedPairs() {
				x.Handed = true
				out = append(out, x)
			}
		}
	}
	return out
}

// takesOne reports whether one of the inputs of a value is of a kind.
func takesOne(v *infer.Val, k domain.Kind) bool {
	return slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x != nil && x.Is(k) })
}

// shiftedPairs compares each mask among the arguments of a call with each of the log-probabilities.
func (s Seen) shiftedPairs() (out []MaskShift) {
	for i, m := range s.In {
		if m == nil || !m.Is(domain.Mask) || m.Q.Evidence > domain.Derived {
			continue
		}
		mask, ok := MaskOf(s.Input(i))
		if !ok {
			continue
		}
		for j, x := range s.In {
			if x != nil && x.Is(domain.LogProb) {
				out = append(out, s.g.shifts(s, []Seen{s.Input(j)}, mask)...)
			}
		}
	}
	return out
}

// maskedAt reads s as values under a mask: a product, a fill, a choice, or a library's masked mean.
func maskedAt(s Seen) (of Seen, m Mask, ok bool) {
	if s.IsOp("masked_mean") {
		r, ok := ReductionOf(s)
		if !ok || len(r.Under) == 0 {
			return Seen{}, Mask{}, false
		}
		return r.Of, r.Under[0], true
	}
	if s.IsOp("div") {
		return Seen{}, Mask{}, false // its sum holds the product
	}
	return unmasked(s)
}

// shifts compares a mask with the tokens of each of the scores that it masks.
func (g *Graph) shifts(at Seen, scores []Seen, m Mask) (out []MaskShift) {
	masks := m.maskPositions()
	if len(masks) == 0 {
		return nil
	}
	for _, leaf := range scores {
		for _, t := range leaf.scored() {
			for _, k := range masks {
				if k.atFrontOf(t) && k.Together(t) {
					out = append(out, MaskShift{At: at, Mask: k, Tokens: t, OfText: true, FarEnd: true})
					continue
				}
				by, ok := k.Shift(t)
				if !ok || !k.Together(t) || !k.Cut || !t.Cut {
					continue
				}
				answer := !m.Not && !k.Compared && k.zeroOnPrompt(t)
				if answer || k.Compared || isGiven(k.Of) {
					out = append(out, MaskShift{At: at, Mask: k, Tokens: t, By: by, OfText: answer || k.Compared || k.Of.IsOp("attention_mask"), OfAnswer: answer})
				}
			}
		}
	}
	return out
}

// atFrontOf reports whether p is the first n positions of what was joined of several parts, as of a prompt and its answer, where o is the last n.
func (p Positions) atFrontOf(o Positions) bool {
	atStart := !p.Low.End && !p.Low.Sym.Known() && p.Low.N == 0
	toEnd := o.High.End && !o.High.Sym.Known() && o.High.N == 0
	return atStart && toEnd && !p.High.End && o.Low.End && p.High.Sym.Known() && o.Low.Sym.Known() && p.High.Sym.Same(o.Low.Sym) &&
		p.High.N == o.Low.N && p.Axis == o.Axis && p.Of.Strip().isJoined()
}

// isJoined reports whether s is two values or more, one behind the other along another axis than that of the rows.
func (s Seen) isJoined() bool { return len(s.joined()) > 1 }

// joined are the values that s holds one behind the other along another axis than that of the rows.
func (s Seen) joined() (out []Seen) {
	if !s.IsOp("cat", "concatenate") || len(s.In) == 0 || !alongRow(s.Val) {
		return nil
	}
	if parts, ok := s.Input(0).Referent().(*infer.SeqRef); ok {
		for _, x := range parts.Elems {
			out = append(out, s.Input(0).Of(x))
		}
	}
	return out
}

// zeroOnPrompt reports whether a mask is joined of zeros, one for each token of the prompt, and of a part for what follows the prompt: there are
// as many as the prompt has tokens, or mask and tokens both go on in the same rounds of a loop, and are as long as each other in the end.
func (p Positions) zeroOnPrompt(o Positions) bool {
	mask, tokens := p.Of.joined(), o.Of.joined()
	if len(mask) != 2 || !mask[0].Known() {
		return false
	}
	prompt := o.Of
	if len(tokens) == 2 {
		prompt = tokens[0]
	}
	switch zeros := mask[0].Strip(); {
	case !prompt.Known() || !isZero(zeros):
		return false
	case zeros.IsOp("zeros_like") && zeros.Input(0).Same(prompt):
		return true
	default:
		loops := p.Of.Loops()
		return len(loops) > 0 && slices.Equal(loops, o.Of.Loops()) && p.Of.Guard == o.Of.Guard && p.Of.goesOnFrom(mask[0]) && o.Of.goesOnFrom(prompt)
	}
}

// goesOnFrom reports whether s is what the rounds of a loop make of first, as ids = cat([ids, next], 1) does.
func (s Seen) goesOnFrom(first Seen) bool {
	return slices.ContainsFunc(s.Uses(), func(u *infer.Val) bool { return u.Op == infer.OpPhi && slices.Contains(u.In, first.Val) })
}

// isGiven reports whether a value came from elsewhere: an argument, a field of a batch, an output.
func isGiven(s Seen) bool {
	return len(s.In) == 0 || s.IsOp(infer.OpItem, infer.OpIterate, infer.OpPhi, "attention_mask", "pop", "get") || strings.HasPrefix(s.Op, infer.OpAttr+".")
}

// maskPositions are the positions of a mask, through the comparison that made it.
func (m Mask) maskPositions() []Positions {
	w := walk{room: 4 * maxSteps, fills: true, compared: true}
	w.back(m.Seen, nil, nil, false)
	if w.lost || len(w.out) > maxBranches {
		return nil
	}
	return w.out
}

// scored are the positions of the tokens whose scores s holds, through what picks them.
func (s Seen) scored() []Positions {
	w := walk{room: 4 * maxSteps, fills: true, picked: true}
	w.back(s, nil, nil, false)
	if w.lost || len(w.out) > maxBranches {
		return nil
	}
	out := w.out[:0]
	for _, p := range w.out {
		if p.Picked {
			out = append(out, p)
		}
	}
	return out
}

// alongRow reports whether an operation is along another axis than the first one.
func alongRow(v *infer.Val) bool {
	d, ok := v.Arg("dim").Int()
	return ok && d != 0
}
