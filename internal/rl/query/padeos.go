package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Tokenizers that pad with the end of the text
//
// Many vocabularies have no pad, so programs write tokenizer.pad_token = tokenizer.eos_token. From then on no comparison
// with pad_token_id tells padding from the end that the model wrote itself.

// EndAsPad is a place where a tokenizer is told to pad with the end of the text.
type EndAsPad struct {
	Place
	// Tokenizer is the object, Always says that no condition decides whether it is done.
	Tokenizer *infer.Val
	Always    bool
}

// EndsAsPads are those of the module and of what it calls.
func (g *Graph) EndsAsPads() (out []EndAsPad) {
	for f, a := range Everywhere[*ast.Assign](g) {
		if len(a.Targets) != 1 {
			continue
		}
		to, ok1 := a.Targets[0].(*ast.Attribute)
		from, ok2 := a.Value.(*ast.Attribute)
		if !ok1 || !ok2 || !(to.Attr == "pad_token" && from.Attr == "eos_token" || to.Attr == "pad_token_id" && from.Attr == "eos_token_id") {
			continue
		}
		tokenizer, value := f.Val(to.X), f.Val(from)
		if tokenizer == nil || value == nil || Path(to.X) != Path(from.X) {
			continue
		}
		out = append(out, EndAsPad{Place{f, a}, tokenizer, !value.Guarded(func(g *infer.Guard) bool { return !isMain(g.Cond) })})
	}
	return out
}

// isMain reports whether a condition asks whether the module is run as a program.
func isMain(cond *infer.Val) bool {
	found := false
	infer.Walk(cond, 8, func(v *infer.Val) bool {
		s, ok := v.Str()
		found = found || ok && s == "__main__"
		return !found
	})
	return found
}

// SameObject reports whether two values are one object.
func SameObject(a, b *infer.Val) bool {
	a, b = infer.Strip(a), infer.Strip(b)
	return infer.SameSource(a, b) || a != nil && b != nil && a.Ref != nil && a.Ref == b.Ref
}

// PadOf returns the tokenizer with whose pad a comparison compares; no value for any other.
func PadOf(s Seen) Seen {
	if !s.Known() || !s.IsOp("eq", "ne") {
		return Seen{g: s.g}
	}
	for i := range min(2, len(s.In)) {
		if x := s.Input(i).Strip(); x.Known() && x.IsOp("pad_token_id") && len(x.In) > 0 {
			return x.Input(0)
		}
	}
	return Seen{g: s.g}
}

// LeavesOut returns where a mask of tokens takes them out of a loss: labels that are set to the number that losses
// ignore, a product with what a model says of each token. nil where it does neither.
func (g *Graph) LeavesOut(mask *infer.Val) *infer.Val { return g.leavesOut(mask, 8) }

func (g *Graph) leavesOut(v *infer.Val, depth int) *infer.Val {
	if depth == 0 {
		return nil
	}
	for _, u := range g.UsesOf(v) {
		s := g.See(u)
		if s.ignores(v) {
			return u
		}
		if of, _, ok := unmasked(s); ok && of.Val != v && of.Is(perToken) {
			return u
		}
		if infer.Through(u) == v || u.IsOp("invert", "logical_not", "and", "bitand", "logical_and", "bitwise_and") || u.IsOp("mul") && u.Is(domain.Mask) ||
			u.Op == infer.OpItem && len(u.In) > 0 && u.In[0] == v {
			if at := g.leavesOut(u, depth-1); at != nil {
				return at
			}
		}
	}
	return nil
}

// ignores reports whether s fills with the number that losses ignore where a mask says so.
func (s Seen) ignores(mask *infer.Val) bool {
	at, fill := -1, -1
	switch {
	case s.Op == infer.OpStore:
		at, fill = 2, 1
	case s.IsOp("masked_fill"):
		at, fill = 1, 2
	case s.IsOp("where"):
		at, fill = 0, 1
	}
	if at < 0 || len(s.In) <= max(at, fill) || s.In[at] != mask {
		return false
	}
	n, ok := s.Input(fill).Int()
	return ok && n == ignored
}
