package criticbesideitself

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// copied is the call that made one of two critics in training a copy of the other, if a choice takes the smaller of what they, or their
// targets, say; nil else. They start with the same weights, and the same targets give them the same gradients: only layers that draw at
// random tell them apart.
func copied(p *pass.Pass, e query.Extremum) *infer.Val {
	a, b := e.Of[0].Evaluations(e.At), e.Of[1].Evaluations(e.At)
	if len(a) != 1 || len(b) != 1 || a[0].Net == b[0].Net || len(p.Made("Dropout", "dropout")) > 0 {
		return nil
	}
	one, two := trained(p, a[0].Net), trained(p, b[0].Net)
	if one == nil || two == nil || one == two || !fittedAlike(p, one, two) || drawnAnew(p, one) || drawnAnew(p, two) {
		return nil
	}
	if made := copyOf(p, one, two); made != nil {
		return made
	}
	return copyOf(p, two, one)
}

// fittedAlike reports whether losses compare what both critics say with one target, in the same way: two discounts, two expectiles or two batches
// pull copies apart.
func fittedAlike(p *pass.Pass, one, two *roles.Network) bool {
	var ofOne []roles.Fit
	said := func(f roles.Fit, n *roles.Network) bool {
		list := f.Said.Evaluations(f.At)
		return len(list) == 1 && list[0].Net == n.Ref
	}
	fits := p.Roles.Fits()
	for _, f := range fits {
		if said(f, one) {
			ofOne = append(ofOne, f)
		}
	}
	return slices.ContainsFunc(fits, func(f roles.Fit) bool {
		return said(f, two) && slices.ContainsFunc(ofOne, func(o roles.Fit) bool {
			return f.At.Op == o.At.Op && infer.SameSource(f.Target.Val, o.Target.Val)
		})
	})
}

// drawnAnew reports whether the program may change the weights of a network by other means than an optimizer: its own or a library's function is
// given the network, or goes through its parameters alone, to initialise them again or to add noise.
func drawnAnew(p *pass.Pass, n *roles.Network) bool {
	is := func(f *infer.Frame, x ast.Expr) bool {
		v := f.Val(x)
		return v != nil && v.Ref == n.Ref
	}
	for f, call := range query.Everywhere[*ast.Call](p.Graph) {
		at, isMethod := call.Fun.(*ast.Attribute)
		if isMethod && (at.Attr == "apply" || at.Attr == "reset_parameters" || at.Attr == "modules") && is(f, at.X) {
			return true
		}
		name := query.CalleeName(call)
		if name != "deepcopy" && name != "append" && slices.ContainsFunc(call.Args, func(x ast.Expr) bool { return is(f, x) }) {
			return true
		}
	}
	for f, loop := range query.Everywhere[*ast.For](p.Graph) {
		if v := f.Val(loop.Iter); v != nil && v.IsOp("parameters", "named_parameters") && len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref == n.Ref {
			return true
		}
	}
	return false
}

// ofCopies is the finding for a choice between two critics of which made made one a copy of the other.
func ofCopies(p *pass.Pass, at, made *infer.Val) pass.Finding {
	return pass.Finding{
		At: at.Node, Frame: at.Frame, Evidence: domain.Derived,
		Message: "minimum of a critic and its exact copy",
		Why:     "both start with the same weights and get the same gradients, so they never differ, and the smaller of both guards against nothing",
		Help:    "make the second critic anew, so that it starts with other weights",
		Related: p.Here(made, "one critic is made a copy of the other here"),
	}
}

// trained is the network in training that a network is, or that it was copied from; nil where an optimizer holds neither.
func trained(p *pass.Pass, net infer.Ref) *roles.Network {
	for range 2 {
		if n := p.Roles.Network(&infer.Val{Ref: net}); n != nil && p.Roles.IsHeld(n) {
			return n
		}
		made := deepCopy(p, net)
		if made == nil {
			return nil
		}
		net = made.In[0].Ref
	}
	return nil
}

// copyOf is the call that makes one network a copy of another; nil where none does.
func copyOf(p *pass.Pass, n, of *roles.Network) *infer.Val {
	if made := deepCopy(p, n.Ref); made != nil && made.In[0].Ref == of.Ref {
		return made
	}
	for _, t := range p.Roles.Transfers() {
		if t.To.Known() && t.From.Known() && t.Whole() && t.To.Ref == n.Ref && t.From.Ref == of.Ref {
			return t.At.Val
		}
	}
	return nil
}

// deepCopy is the call of deepcopy() that made a network; nil where none did.
func deepCopy(p *pass.Pass, net infer.Ref) *infer.Val {
	for _, v := range p.Made("deepcopy") {
		if net != nil && v.Ref == net && len(v.In) > 0 && v.In[0] != nil {
			return v
		}
	}
	return nil
}
