package nozerograd

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/pins"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// # Gradients that are handed on
//
// A worker computes gradients in a network of its own and hands them to the shared one, which the optimizer holds: `shared.grad =
// own.grad`. zero_grad() of that optimizer sets the shared ones to None since torch 2.0, and leaves the worker's, so
// that the next backward pass adds to them. A finding needs the worker's network in sight, made before the rounds begin, and that
// nothing may set its gradients to zero: every zero_grad() is called on something that cannot hold it.

// handing is a statement that gives the gradients of one network to another.
type handing struct {
	at  query.Place    // the attribute that is assigned
	own *roles.Network // the one that hands on, nil where it is not one that the program is seen to make
	to  *infer.Val     // the one that it is handed to
}

func reportHandedOn(p *pass.Pass, r *roles.Rounds) {
	list := handings(p)
	if len(list) == 0 || isOld(p) {
		return
	}
	for _, h := range list {
		if h.own != nil && !mayClear(p, r, h, list) {
			reportHanding(p, r, h)
		}
	}
}

// isOld reports whether the project asks for a torch whose zero_grad() fills gradients with zeros, and with them those of the worker, or is
// written in Python 2, for which there is no other torch; isNew whether all that it allows set them to None.
func isOld(p *pass.Pass) bool {
	pin := pinned(p)
	return pin.Version != "" && pin.Exact && pins.Compare(pin.Version, "2.0") < 0 || isPython2(p)
}

func isPython2(p *pass.Pass) bool {
	for f := range p.EachFrame {
		if slices.ContainsFunc(f.Module.AST.Errors, func(e ast.SyntaxError) bool { return strings.Contains(e.Message, "is Python 2") }) {
			return true
		}
	}
	return false
}

func isNew(p *pass.Pass) bool {
	pin := pinned(p)
	return pin.Version != "" && pins.Compare(pin.Version, "2.0") >= 0
}

func pinned(p *pass.Pass) pins.Pin {
	if p.Source.Pin == nil {
		return pins.Pin{}
	}
	return p.Source.Pin("torch", "")
}

// severity is a warning where an older torch may run the program, in which the default of zero_grad() does no harm.
func severity(p *pass.Pass, r *roles.Rounds) finding.Severity {
	told := slices.ContainsFunc(r.Moments, func(x *roles.Moment) bool {
		call, ok := x.At.Node.(*ast.Call)
		return ok && x.Act == roles.Zeroes && len(call.Keywords) > 0
	})
	if told || isNew(p) {
		return ""
	}
	return finding.Warning
}

// handings lists the statements that hand gradients on within a loop over the parameters of two networks.
func handings(p *pass.Pass) []handing {
	var out []handing
	for f := range p.EachFrame {
		if p.In(f) == nil {
			continue
		}
		for _, n := range f.Nodes() {
			loop, ok := n.(*ast.For)
			if !ok {
				continue
			}
			of := networksOf(f, loop)
			ast.WalkStmts(loop.Body, func(n ast.Node) bool {
				as, ok := n.(*ast.Assign)
				if !ok || len(as.Targets) != 1 || len(of) == 0 {
					return len(of) > 0
				}
				to, from := gradOf(as.Targets[0]), gradOf(as.Value)
				if to != from && of[to] != nil && of[from] != nil {
					h := handing{at: query.Place{Frame: f, Node: as.Targets[0]}, to: of[to]}
					if n := p.Roles.Network(of[from]); n != nil && query.PlaceOf(n.Val).Known() && p.Roles.Network(h.to) != n {
						h.own = n
					}
					out = append(out, h)
				}
				return true
			})
		}
	}
	return out
}

// networksOf are the networks to whose parameters a loop over zip(a.parameters(), b.parameters()) binds its variables.
func networksOf(f *infer.Frame, loop *ast.For) map[string]*infer.Val {
	zip, ok := loop.Iter.(*ast.Call)
	names, tuple := loop.Target.(*ast.Tuple)
	if !ok || !tuple || query.CalledSymbol(f, zip) != "builtins.zip" || len(zip.Args) != len(names.Elts) {
		return nil
	}
	out := map[string]*infer.Val{}
	for i, e := range zip.Args {
		call, ok := e.(*ast.Call)
		name, plain := names.Elts[i].(*ast.Name)
		if !ok || !plain || len(call.Args) > 0 {
			return nil
		}
		at, ok := call.Fun.(*ast.Attribute)
		if !ok || at.Attr != "parameters" {
			return nil
		}
		out[name.Ident] = f.Val(at.X)
	}
	return out
}

// gradOf is the variable whose gradient an expression is, or a copy of it; "" for anything else.
func gradOf(e ast.Expr) string {
	for range 4 {
		switch n := e.(type) {
		case *ast.Call: // p.grad.clone(), p.grad.to(device)
			at, ok := n.Fun.(*ast.Attribute)
			if !ok {
				return ""
			}
			e = at.X
		case *ast.Attribute:
			if name, ok := n.X.(*ast.Name); ok && roles.IsGrad(n.Attr) {
				return name.Ident
			}
			e = n.X // p.grad.data
		default:
			return ""
		}
	}
	return ""
}

// mayClear reports whether anything may set the gradients of the network to zero that hands them on.
func mayClear(p *pass.Pass, r *roles.Rounds, h handing, list []handing) bool {
	for _, x := range r.Moments {
		switch {
		case x.Act == roles.Zeroes && clears(p, x, h.own):
			return true
		case x.Act == roles.Touches && !slices.ContainsFunc(list, func(o handing) bool { return o.at == x.At && !mayBe(p, o.to, h.own) }) && p.Roles.MayTouch(x, h.own):
			return true
		}
	}
	return len(p.Made("add_param_group")) > 0 || isZeroedUnseen(p, r, h.at.Frame.Module) || isZeroedUnseen(p, r, h.own.Val.Frame.Module) || ownZeroGrad(p)
}

// ownZeroGrad reports whether a class of the program says itself what zero_grad() does.
func ownZeroGrad(p *pass.Pass) bool {
	for _, def := range query.Everywhere[*ast.FunctionDef](p.Graph) {
		if def.Name == "zero_grad" {
			return true
		}
	}
	return false
}

// clears reports whether a zero_grad() may be one of a network: unless it is called on what was made without it, or was handed to whoever made
// it. One that fills with zeros fills what was handed on.
func clears(p *pass.Pass, x *roles.Moment, own *roles.Network) bool {
	call, ok := x.At.Node.(*ast.Call)
	if !ok || !forgets(call) {
		return true
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok {
		return true
	}
	return mayBe(p, x.At.Frame.Val(at.X), own)
}

// forgets reports whether a zero_grad() sets gradients to None, as it does unless it is told not to.
func forgets(call *ast.Call) bool {
	if len(call.Args)+len(call.Keywords) == 0 {
		return true
	}
	told, ok := query.Keyword(call, "set_to_none").(*ast.Constant)
	return ok && told.Kind == ast.True && len(call.Args)+len(call.Keywords) == 1
}

// mayBe reports whether a value may be a network, hold it or be made of it. What was handed to whoever made the network is without it.
func mayBe(p *pass.Pass, v *infer.Val, own *roles.Network) bool {
	if v == nil {
		return true
	}
	without, room := true, maxMadeOf
	infer.Walk(v, maxMadeOf, func(y *infer.Val) bool {
		room--
		switch {
		case y.Ref != nil && (p.Roles.Holds(y.Ref, own.Ref) || p.Roles.Holds(own.Ref, y.Ref)):
			without = false
		case y.Op == infer.OpParam:
			without = without && isHandedTo(own.Val.Frame, y)
		case y.Unfollowed() && !y.Is(domain.Optimizer):
			without = false
		}
		return without
	})
	return !without || room <= 0
}

// isHandedTo reports whether a value is an argument of the evaluation that makes a network, or of one that leads there: it was there before.
func isHandedTo(f *infer.Frame, arg *infer.Val) bool {
	for ; f != nil; f = f.Caller {
		if f.Func == nil || f.Func.Def == nil || f.Func.Def.Params == nil {
			continue
		}
		if slices.ContainsFunc(f.Func.Def.Params.List, func(x *ast.Param) bool { return ast.Node(x) == arg.Node }) {
			return true
		}
	}
	return false
}

// maxMadeOf bounds the values that an optimizer or network is made of.
const maxMadeOf = 60

// reportHanding reports the step behind a handing, where the next round adds to the same gradients.
func reportHanding(p *pass.Pass, r *roles.Rounds, h handing) {
	made := query.PlaceOf(h.own.Val)
	places := []query.Place{made, h.at}
	acts := map[query.Place]roles.Act{}
	for _, x := range r.Moments {
		if x.Act == roles.Computes || x.Act == roles.Steps {
			places, acts[x.At] = append(places, x.At), x.Act
		}
	}
	steps := func(e *roles.Event) bool { return acts[e.Place] == roles.Steps }
	for order := range p.Roles.Orders(places) {
		for _, e := range order.Events {
			if e.Place != h.at {
				continue
			}
			next := e.After(func(x *roles.Event) bool { return x.Place == made || steps(x) })
			if len(next) == 0 || !slices.ContainsFunc(next, steps) {
				continue
			}
			step := next[slices.IndexFunc(next, steps)]
			if b := nextRound(step, h.at, made, acts); b != nil {
				p.Report(pass.Finding{
					At: step.Node, Frame: step.Frame, Evidence: domain.Derived, Severity: severity(p, r),
					Message: "gradients that are handed on are never set to zero",
					Why:     "since torch 2.0 `zero_grad()` of the other network sets only its own gradients to None, so each pass adds to all that this one has kept",
					Help:    "set the gradients of that network to zero as well, before `backward()`",
					Related: append(p.There(h.at, "gradients of a network that nothing sets to zero are handed on here"),
						p.There(b.Place, "adds to the gradients that the step before has used")...),
				})
				return
			}
		}
	}
}

// nextRound returns a backward pass that follows a step and comes to the handing again, with the same network.
func nextRound(step *roles.Event, at, made query.Place, acts map[query.Place]roles.Act) *roles.Event {
	for _, b := range step.After(func(x *roles.Event) bool { return x.Place == made || acts[x.Place] == roles.Computes }) {
		if acts[b.Place] != roles.Computes {
			continue
		}
		again := b.After(func(x *roles.Event) bool { return x.Place == made || x.Place == at })
		if slices.ContainsFunc(again, func(x *roles.Event) bool { return x.Place == at }) {
			return b
		}
	}
	return nil
}
