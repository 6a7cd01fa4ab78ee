package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// PolicyGradient is a term of a loss that is the log-probability of an action times
// a weight: what REINFORCE and its kin minimise.
type PolicyGradient struct {
	// At is the product.
	At query.Seen
	// LogProb is the factor that carries the gradient.
	LogProb query.Seen
	// Weights are the other factors, constants left out.
	Weights []query.Seen
}

// PolicyGradientOf reads a term as a policy gradient.
func PolicyGradientOf(t query.Seen) (PolicyGradient, bool) {
	if !t.IsOp("mul") {
		return PolicyGradient{}, false
	}
	g := PolicyGradient{At: t}
	for _, f := range query.FactorsOf(t).List {
		switch _, constant := f.Float(); {
		case constant:
		case !g.LogProb.Known() && isLogProbOfAction(f):
			g.LogProb = f
		default:
			g.Weights = append(g.Weights, f)
		}
	}
	return g, g.LogProb.Known() && len(g.Weights) > 0
}

// PolicyGradient reads a term of a loss as a policy gradient, which one half of a classifier's cross entropy is not.
func (t Term) PolicyGradient() (PolicyGradient, bool) {
	if t.Labelled {
		return PolicyGradient{}, false
	}
	return PolicyGradientOf(t.Seen)
}

// isScore reports whether a weight may say how good an action was.
func isScore(w query.Seen) bool {
	return !w.Is(domain.Mask | domain.Coef | domain.Number | domain.Count | domain.Prob | domain.LogProb | domain.Entropy)
}

// isLogProbOfAction reports whether s is a log-probability, or a cross entropy, that
// may carry gradients.
func isLogProbOfAction(s query.Seen) bool {
	return s.Q.Grad != domain.Detached && (s.Is(domain.LogProb) || s.Strip().IsOp("cross_entropy", "nll_loss"))
}

// Loss is what a call of backward() minimises, seen on one of the ways by
// which the program comes there.
type Loss struct {
	// Backward is the call; no value for what a trainer of a library minimises.
	Backward query.Seen
	Value    query.Seen
	// Terms are what the loss is the weighted sum or mean of, Cut those that no
	// gradient flows through, since they are detached there.
	Terms, Cut []Term
}

// Losses returns the losses of which gradients are taken.
func (m *Model) Losses() []Loss { return m.losses.get(m.findLosses) }

func (m *Model) findLosses() []Loss {
	var out []Loss
	for _, l := range m.Backwards {
		for _, b := range m.g.Paths(l.Call) {
			value := b.Of(l.Loss)
			out = append(out, m.lossOf(b, value))
		}
	}
	minimises := len(m.Surrogates()) > 0 || len(m.g.Made(append([]string{"exp"}, errorOps...)...)) > 0
	if minimises {
		for _, v := range m.g.Made("step", "minimize") {
			out = append(out, m.handedTo(v)...)
		}
	}
	for f := range m.g.EachFrame {
		switch {
		case isTrainingStep(f):
			if !f.GradOff() { // else it is called to evaluate
				out = append(out, m.lossOf(query.Seen{}, m.asked(f)))
			}
		case minimises && f.Entry && f.Result != nil && f.Func.Def != nil:
			for value := range m.Returned(f) {
				if l := m.lossOf(query.Seen{}, value); l.isSure() {
					out = append(out, l)
				}
			}
		}
	}
	return out
}

// asked is the loss that a trainer gets from the method in which it asks for it: the first of several, or the one of that name, beside
// what is logged.
func (m *Model) asked(f *infer.Frame) query.Seen {
	s := m.g.See(f.Result)
	switch r := s.Referent().(type) {
	case *infer.SeqRef:
		if !r.List && len(r.Elems) > 0 && r.Elems[0] != nil {
			return s.Of(r.Elems[0])
		}
	case *infer.DictRef:
		if loss := r.Fields["loss"]; loss != nil {
			return s.Of(loss)
		}
	}
	return s
}

// takesGradients reports whether the program takes gradients, or hands a loss to a trainer that does.
func (m *Model) takesGradients() bool {
	if len(m.Backwards) > 0 {
		return true
	}
	for f := range m.g.EachFrame {
		if isTrainingStep(f) {
			return true
		}
	}
	return false
}

// Differentiates reports whether gradients flow through a value: inference says so, or it does not
// know and a loss is made of the value. A loss has a gradient, so what it is made of may well have
// one, unless it is known not to.
func (m *Model) Differentiates(v *infer.Val) bool {
	switch {
	case v == nil || v.Q.Grad == domain.Detached || v.NoGrad:
		return false
	case v.Q.Grad == domain.Attached:
		return true
	}
	return m.inGraphs()[v]
}

// MissesLosses reports whether the program computes losses, and gradients of none of them flow through a value.
func (m *Model) MissesLosses(v *infer.Val) bool {
	return len(m.Losses()) > 0 && !m.inGraphs()[v]
}

// inGraphs are the values through which the gradients of losses may flow.
func (m *Model) inGraphs() map[*infer.Val]bool {
	return m.graphs.get(func() map[*infer.Val]bool {
		out := map[*infer.Val]bool{}
		for _, l := range m.Losses() {
			query.InGraph(l.Value.Val, func(v *infer.Val) bool {
				out[v] = true
				return true
			})
		}
		return out
	})
}

// handedTo returns the losses among the arguments of a step that takes gradients itself:
// optim.step(loss), of a framework's optimizer.
func (m *Model) handedTo(step *infer.Val) []Loss {
	call, ok := step.Node.(*ast.Call)
	if !ok || step.Frame == nil || len(call.Args) != 1 {
		return nil
	}
	x := step.Frame.Val(call.Args[0])
	if x == nil || x.Ref != nil {
		return nil
	}
	var out []Loss
	for _, s := range m.g.Paths(step) {
		if l := m.lossOf(s, s.Of(x)); l.isSurely(1) {
			out = append(out, l)
		}
	}
	return out
}

// errorOps are the functions of libraries that compute an error.
var errorOps = []string{"mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss"}

// isSure reports whether a value that nobody is seen to take gradients of is there to be
// minimised, as one of its terms says by its form and sign. Pessimism makes a gain smaller, or
// a loss larger: -min(r*A, clip(r)*A) and max(-r*A, -clip(r)*A) have no other use. Nor has -r*A,
// or an error that a function of losses computes, to which something is added.
func (l Loss) isSure() bool { return l.isSurely(2) }

// isSurely is isSure, where an error counts in a sum of so many terms.
func (l Loss) isSurely(terms int) bool {
	return !query.Dead(l.Value) && slices.ContainsFunc(l.Terms, func(t Term) bool {
		switch s := t.Surrogate; {
		case s != nil:
			return s.AroundOne() && (t.Meant < 0 && !s.Max && !s.Negated || t.Meant > 0 && s.Max && s.Negated)
		case t.Kind == PolicyTerm:
			return (t.Meant < 0) != query.FactorsOf(t.Seen).Negated && t.Meant != 0 && t.Q.Grad != domain.Detached
		}
		return t.Meant > 0 && len(l.Terms)+len(l.Cut) >= terms && t.Unreduced().IsOp(errorOps...)
	})
}

// isTrainingStep reports whether a frame is the method in which a trainer of a library
// asks for the loss.
func isTrainingStep(f *infer.Frame) bool {
	if f.Result == nil || f.Func == nil {
		return false
	}
	c, name := classOf(f), f.Func.Name()
	if f.Entry { // a trainer's own method hands on to the other
		name = strings.TrimPrefix(name, "_")
	}
	return c != nil && asksForLoss(c, name, 8)
}

// classOf is the class of the object that a method runs on, or nil. A method under a
// decorator is handed its object as an argument.
func classOf(f *infer.Frame) *infer.ClassRef {
	if f.Func.Class != nil {
		return f.Func.Class
	}
	if len(f.Params) > 0 && f.Params[0] != nil {
		if o, ok := f.Params[0].Ref.(*infer.Instance); ok {
			return o.Class
		}
	}
	return nil
}

// asksForLoss reports whether a trainer of a library among the ancestors of c asks a method for the loss.
func asksForLoss(c *infer.ClassRef, method string, depth int) bool {
	for _, b := range c.LibBases {
		if lib := library.Load().Class(b); lib != nil && lib.AsksForLoss(method) {
			return true
		}
	}
	return depth > 0 && slices.ContainsFunc(c.Bases, func(b *infer.ClassRef) bool { return asksForLoss(b, method, depth-1) })
}

// ReturnedLoss is what a function that nobody calls returns, the first of several: a
// loss function returns the loss and then what is logged.
func (m *Model) ReturnedLoss(f *infer.Frame) query.Seen {
	if !f.Entry {
		return query.Seen{}
	}
	for s := range m.Returned(f) {
		return s
	}
	return query.Seen{}
}

// Returned calls yield for what a function returns: a value, or the elements of a tuple,
// the values of a dict, the fields of a record.
func (m *Model) Returned(f *infer.Frame) func(yield func(query.Seen) bool) {
	return func(yield func(query.Seen) bool) {
		if f.Result == nil {
			return
		}
		s := m.g.See(f.Result)
		var parts []*infer.Val
		switch r := s.Referent().(type) {
		case *infer.SeqRef:
			parts = r.Elems
		case *infer.DictRef:
			eachPart(s.Val, func(v *infer.Val) { parts = append(parts, v) })
		case *infer.Instance:
			for _, field := range r.Class.Fields {
				parts = append(parts, r.Attrs[field.Name])
			}
		}
		if len(parts) == 0 {
			yield(s)
			return
		}
		for _, v := range parts {
			if v != nil && !yield(s.Of(v)) {
				return
			}
		}
	}
}

// Maximises reports whether an optimizer of the program climbs: maximize=True turns
// every sign.
func (m *Model) Maximises() bool {
	for _, o := range m.Optimizers {
		if query.HasKeyword(o.Val, "maximize") {
			return true
		}
	}
	return false
}
