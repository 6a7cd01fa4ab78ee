package query

import (
	"slices"

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

// IsEnd reports whether a token is the one that ends texts: rows are closed with it, `row + [EOS]`, or sampling stops at it, `done | (token == EOS)`.
func (g *Graph) IsEnd(token *infer.Val) bool {
	id, ok := infer.Strip(token).Int()
	g.ends.once.Do(func() {
		g.ends.ids = map[int64]bool{}
		for v := range g.Each {
			var closing *infer.Val
			switch {
			case len(v.In) != 2:
				continue
			case g.See(v).isSumOfLists():
				if seq, ok := infer.RefOf(v.In[1]).(*infer.SeqRef); ok && len(seq.Elems) == 1 && isListOfOne(v.In[1]) {
					closing = seq.Elems[0]
				}
			case v.IsOp("or", "bitor", "bitwise_or", "logical_or"):
				x := infer.Strip(v.In[1])
				if x != nil && x.IsOp("and", "bitand", "bitwise_and", "logical_and") { // and not yet over
					x = infer.Strip(x.In[0])
				}
				if x != nil && x.IsOp("eq") && len(x.In) == 2 {
					closing = x.In[1]
				}
			}
			if n, ok := infer.Strip(closing).Int(); ok {
				g.ends.ids[n] = true
			} else if closing != nil {
				g.ends.unknown = append(g.ends.unknown, closing)
			}
		}
	})
	return ok && g.ends.ids[id] || !ok && slices.ContainsFunc(g.ends.unknown, func(end *infer.Val) bool { return infer.MadeAlike(end, token) })
}

// isListOfOne reports whether v is written [EOS], the list of one value that has a name.
func isListOfOne(v *infer.Val) bool {
	list, ok := v.Node.(*ast.List)
	if !ok || len(list.Elts) != 1 {
		return false
	}
	_, number := list.Elts[0].(*ast.Number)
	return !number
}

// BeforeEnd returns the comparison of tokens with their end of which v is the positions before: cumsum(ids == end) == 0, arange(n) < argmax(ids == end).
// No value where the position of the end belongs to them, or for anything else.
func (g *Graph) BeforeEnd(v *infer.Val) *infer.Val {
	if len(v.In) < 2 {
		return nil
	}
	x, y := infer.Strip(v.In[0]), infer.Strip(v.In[1])
	n, number := y.Int()
	switch {
	case x == nil || y == nil:
	case number && x.IsOp("cumsum", "cummax") && (v.IsOp("eq") && n == 0 || v.IsOp("lt") && n == 1):
		return endMarks(x.In[0])
	case v.IsOp("lt") && x.IsOp("arange"):
		for range maxSteps {
			switch {
			case y != nil && (y.IsOp("where") || y.Op == infer.OpStore) && len(y.In) > 2: // texts that do not end have another one
				y = infer.Strip(y.In[1])
				continue
			case y != nil && y.IsOp(infer.OpItem) && len(y.In) > 0: // of the rows that end
				y = infer.Strip(y.In[0])
				continue
			case y != nil && y.IsOp("argmax") && len(y.In) > 0:
				return endMarks(y.In[0])
			}
			break
		}
	}
	return nil
}

// endMarks is v as a comparison of all tokens with one.
func endMarks(v *infer.Val) *infer.Val {
	var marks *infer.Val
	for range maxSteps {
		switch {
		case v == nil || endsBeforeLast(v):
			return nil
		case marks == nil && v.IsOp("eq") && len(v.In) > 1:
			marks, v = v, v.In[0]
		case infer.Through(v) != nil:
			v = infer.Through(v)
		case marks == nil && v.IsOp("int", "long", "float", "to") && len(v.In) > 0:
			v = v.In[0]
		default:
			return marks
		}
	}
	return nil
}

// endsBeforeLast reports whether v is x[:, :-1]. The marks of these tokens are those of the token before for what comes next.
func endsBeforeLast(v *infer.Val) bool {
	if v == nil || !v.IsOp(infer.OpItem) || len(v.In) < 2 {
		return false
	}
	high := highAlong(v.In[1], -1)
	n, ok := high.Int()
	return ok && n < 0
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
			u.Op == infer.OpItem && len(u.In) > 0 && u.In[0] == v && !endsBeforeLast(u) {
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
