package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # What a network is fitted to
//
// The error that a loss is made of has a side with gradient, what the network in training says, and one without: what it should say.
// A target of temporal differences is a sum of rewards and of a discounted value of what comes next, or a product of the discount
// and such a value where the rewards were forgotten.

// Fit is an error by which a loss fits what a network says to a target.
type Fit struct {
	Loss Loss
	// At is the error, Said what the network in training says, and Target what it should say.
	At, Said, Target query.Seen
}

// Fits are the errors of the losses of which one side has a gradient, and the other none.
func (m *Model) Fits() []Fit {
	return m.fits.get(func() (out []Fit) {
		seen := map[*infer.Val]bool{}
		for _, l := range m.Losses() {
			infer.Walk(l.Value.Val, nearLoss, func(v *infer.Val) bool {
				if seen[v] {
					return true
				}
				pair := errorSides(l.Value.Of(v))
				if len(pair) != 2 || !pair[0].Known() || !pair[1].Known() {
					return true
				}
				seen[v] = true
				f := Fit{l, l.Value.Of(v), pair[0], pair[1]}
				if f.Said.Q.Grad != domain.Attached {
					f.Said, f.Target = f.Target, f.Said
				}
				if f.Said.Q.Grad == domain.Attached && f.Target.Q.Grad != domain.Attached {
					out = append(out, f)
				}
				return true
			})
		}
		return out
	})
}

// maxTarget bounds the way from a target back to the sums that it is made of.
const maxTarget = 32

// handsTarget are the operations by which a sum gets into the target as it is, row by row.
var handsTarget = []string{"clamp", "clip", "nan_to_num", infer.OpPhi}

// Targets are the Bellman sums that a fit's target is, on the paths to it.
func (m *Model) Targets(f Fit) (out []query.Bellman) {
	room := maxTarget
	var visit func(s query.Seen)
	visit = func(s query.Seen) {
		room--
		if !s.Known() || room < 0 {
			return
		}
		s = s.Strip()
		if b, ok := m.g.BellmanAt(s); ok && s.IsOp("add", "sub") {
			if !slices.ContainsFunc(out, func(o query.Bellman) bool { return o.At.Val == b.At.Val }) {
				out = append(out, b)
			}
			return
		}
		if s.IsOp(handsTarget...) {
			for _, x := range s.Flows() {
				visit(x)
			}
		}
	}
	visit(f.Target)
	return out
}

// OneKind reports whether two objects are one network, or networks of one kind: instances of one class, or made by the same code.
func (m *Model) OneKind(a, b infer.Ref) bool {
	if x, y := m.byID[a], m.byID[b]; x != nil && y != nil && (x.CopyOf == y || y.CopyOf == x || x.CopyOf != nil && x.CopyOf == y.CopyOf || sameClass(x, y)) {
		return true
	}
	switch x := a.(type) {
	case *infer.Instance:
		y, ok := b.(*infer.Instance)
		return ok && x.Class == y.Class
	case *infer.LibObject:
		y, ok := b.(*infer.LibObject)
		return ok && x.Name == y.Name
	}
	return false
}

// drawing are operations that yield something else each time.
var drawing = []string{"randn", "randn_like", "rand", "rand_like", "randint", "randperm", "normal", "sample", "rsample", "dropout", "bernoulli"}

// AnswersAlike reports whether a network says the same again of the same inputs: nothing in it is drawn.
func (m *Model) AnswersAlike(e query.Evaluation) bool {
	layers := layersOf(e.Net)
	for part := range layers {
		if o, ok := part.(*infer.LibObject); ok && (strings.Contains(o.Name, "Dropout") || o.Class == nil && !strings.HasPrefix(o.Name, "torch.")) {
			return false
		}
	}
	alike := true
	infer.Walk(e.Output.Val, nearLoss, func(v *infer.Val) bool {
		alike = alike && !(v.IsOp(drawing...) && methodOf(v.Frame, layers))
		return alike && (v == e.Output.Val || v.Frame != e.At.Frame)
	})
	return alike
}

// maxHistory bounds the way from an advantage back to where a value was subtracted.
const maxHistory = 200

// nearValue bounds the way from what is subtracted back to the critic that said it.
const nearValue = 40

// OfReturns reports whether a value is what a critic is to say: a sum of rewards and a discounted value, or a return.
func (m *Model) OfReturns(s query.Seen) bool {
	return s.Is(domain.Return) || s.Strip().Is(domain.Return) || len(m.Targets(Fit{Target: s})) > 0 || m.g.Discounted(s.Strip().Val)
}

// SaysOfData reports whether s is what a network in training says of a batch: no other network in training chose what it is asked of. It is
// looked at from the error, at.
func (m *Model) SaysOfData(s, at query.Seen) (query.Evaluation, bool) {
	list := s.Evaluations(at)
	if len(list) != 1 || s.Q.Grad != domain.Attached {
		return query.Evaluation{}, false
	}
	for _, in := range list[0].Inputs {
		if !in.Known() || in.Q.Grad == domain.Attached {
			return query.Evaluation{}, false
		}
	}
	return list[0], true
}

// IsAdvantage reports whether a value is an advantage over what a network says: from returns, or errors of temporal differences, what it says
// was subtracted and not added again.
func (m *Model) IsAdvantage(s query.Seen, said query.Evaluation) bool {
	heads := said.Output.YieldedBy()
	isSaid := func(v *infer.Val) bool {
		return slices.ContainsFunc(m.g.See(v).YieldedBy(), func(r infer.Ref) bool { return r == said.Net || slices.Contains(heads, r) })
	}
	s = s.Unstandardised()
	x := s.Strip()
	if !x.Known() || !s.Is(domain.Advantage|domain.TDError) && !x.IsOp("sub") {
		return false
	}
	within := func(of *infer.Val) bool {
		found := false
		infer.Walk(of, nearValue, func(v *infer.Val) bool {
			found = found || isSaid(v)
			return !found && !v.IsOp("sub", "add", "mul")
		})
		return found
	}
	for _, t := range query.TermsOf(x, 1) {
		if t.Sign > 0 && t.Val != x.Val && within(t.Val) {
			return false
		}
	}
	if x.IsOp("sub") && len(x.In) > 1 {
		return within(x.In[1])
	}
	found := false
	infer.Walk(x.Val, maxHistory, func(v *infer.Val) bool {
		found = found || v.IsOp("sub") && len(v.In) > 1 && v.In[1] != nil && within(v.In[1])
		return !found
	})
	return found
}
