// Package bootstrapofsamestate is rule VAL090, bootstrap-of-same-state; rule.md says what it finds.
package bootstrapofsamestate

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets that count the value of the state whose value they are a target of.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, f := range p.Roles.Fits() {
		said := f.Said.Evaluations(f.At)
		if len(said) == 0 || f.Said.Strip().Op == infer.OpPhi {
			continue
		}
		for _, b := range p.Roles.Targets(f) {
			if at, ok := chosenElsewhere(b, withInputs(said, f.At)); ok {
				p.Report(pass.Finding{
					At: at.Node, Frame: at.Frame, Evidence: domain.Derived,
					Message: "the action for the next state is chosen in the state before",
					Why:     "the value of the next state is that of an action which is the best one somewhere else, so double Q-learning learns the value of no policy",
					Help:    "choose by what the network in training says of the next state, with the mask of that state",
					Related: p.There(said[0].At, "the value that is fitted to the target is of this state"),
				})
			}
			if at, ok := ofSameState(p, b, said); ok {
				p.Report(pass.Finding{
					At: at.Node, Frame: at.Frame, Evidence: domain.Derived,
					Related: p.There(said[0].At, "the value that is fitted to the target is of the same state"),
				})
			}
		}
	}
	for _, b := range p.Bellmans() {
		for _, f := range ofStateBefore(p, b) {
			p.Report(f)
		}
	}
}

// withInputs are some evaluations, and those of what they are given: a mixer gets what networks say of each agent.
func withInputs(list []query.Evaluation, at query.Seen) []query.Evaluation {
	out := slices.Clone(list)
	for _, e := range list {
		for _, x := range e.Inputs {
			out = append(out, x.Evaluations(at)...)
		}
	}
	return out
}

// chosenElsewhere is where a network was asked by which an action is chosen for the value of the next state, if it was asked of the state of the
// prediction: the target takes from what is said of one state the action that is the best one in another.
func chosenElsewhere(b query.Bellman, said []query.Evaluation) (query.Place, bool) {
	for _, n := range b.Next {
		values := []query.Seen{n.Value}
		for _, e := range n.Value.Evaluations(b.At) {
			values = append(values, e.Inputs...)
		}
		for _, v := range values {
			g := v.StripTo(isGather)
			if !isGather(g) {
				continue
			}
			from := g.Input(0).Evaluations(b.At)
			for i := range g.In {
				chosen := choice(g.Input(i)).Evaluations(b.At)
				if i > 0 && len(chosen) == 1 && len(from) == 1 && ofOne(chosen[0], said) && !ofOne(from[0], said) && !sees(from[0], chosen[0]) {
					return chosen[0].At, true
				}
			}
		}
	}
	return query.Place{}, false
}

func ofOne(e query.Evaluation, said []query.Evaluation) bool {
	return slices.ContainsFunc(said, func(s query.Evaluation) bool { return sees(e, s) })
}

func isGather(s query.Seen) bool { return s.IsOp("gather", "take_along_dim", "take_along_axis") }

// choice is what the best of is taken, by an index: q in q.argmax(1) and q.max(1)[1], without masks.
func choice(index query.Seen) query.Seen {
	x := index.StripTo(func(s query.Seen) bool { return s.IsOp("argmax", infer.OpItem) })
	if x.IsOp(infer.OpItem) && len(x.In) > 1 && x.In[1] != nil && x.In[1].Const == int64(1) {
		x = x.Input(0).Strip()
		if !x.IsOp("max") {
			return query.Seen{}
		}
	}
	if !x.IsOp("argmax", "max") {
		return query.Seen{}
	}
	x = x.Input(0).Strip()
	for range maxChain {
		if !x.IsOp("masked_fill", infer.OpStore) {
			break
		}
		x = x.Input(0).Strip()
	}
	return x
}

// ofStateBefore are the values of what comes next that are asked, behind a step of the environment, of the very tensor by which the action of
// that step was chosen: the last row of a rollout counts the value of its own state.
func ofStateBefore(p *pass.Pass, b query.Bellman) (found []pass.Finding) {
	steps, _ := p.Roles.EnvCalls()
	for _, n := range b.Next {
		for _, v := range alternatives(n.Value) {
			for _, e := range v.Evaluations(b.At) {
				for _, step := range steps {
					call, x := asked(v, e, step)
					if call != nil {
						found = append(found, pass.Finding{
							At: call, Frame: step.Frame, Evidence: domain.Derived,
							Related: append(p.Here(x, "this is the state before the step"), p.There(step.Place(), "the step stands between")...),
						})
					}
				}
			}
		}
	}
	return found
}

// alternatives are the values that one of several branches may yield.
func alternatives(s query.Seen) []query.Seen {
	x := s.Strip()
	if !x.Known() || x.Op != infer.OpPhi {
		return []query.Seen{s}
	}
	var out []query.Seen
	for _, v := range x.In {
		if v != nil && v != x.Val {
			out = append(out, x.Of(v))
		}
	}
	return out
}

// asked is the call behind a step by which a network is asked for a value, itself or through a function of the program, and what it is asked
// of, if that chose the action of the step. The arguments are read where they stand: a function that is called in several places is evaluated
// once, and what it is seen to get is of one of them.
func asked(v query.Seen, e query.Evaluation, step roles.EnvCall) (call *ast.Call, x *infer.Val) {
	var last ast.Node // in this body, on the way to the network
	asks := func(s query.Seen) bool {
		if !s.Known() || s.Frame != step.Frame {
			return false
		}
		last = s.Node
		return s.Op == infer.OpCall || s.Val == e.Output.Val
	}
	if of := v.StripTo(asks); asks(of) {
		last = of.Node
	}
	for range maxChain {
		call, ok := last.(*ast.Call)
		if !ok || call.Span().Start < step.Node.Span().End {
			break
		}
		if len(call.Args) == 1 && len(call.Keywords) == 0 {
			if x = step.Frame.Val(call.Args[0]); x != nil && chose(x, step) {
				return call, x
			}
		}
		method, ok := call.Fun.(*ast.Attribute)
		if !ok {
			break
		}
		last = method.X // value(x).squeeze(-1)
	}
	return nil, nil
}

// maxChain bounds the calls of methods on what a network yields.
const maxChain = 6

// chose reports whether a tensor that a round makes is what the action of the step in that round is made of. What a variable holds at the head of
// a loop is no such tensor: behind the step the same name may hold another.
func chose(x *infer.Val, step roles.EnvCall) bool {
	if _, made := x.Node.(*ast.Call); !made || x.Op == infer.OpPhi || x.Frame != step.Frame || len(step.Node.Args) == 0 {
		return false
	}
	loops := query.Around(step.Place())
	action := step.Frame.Val(step.Node.Args[0])
	return len(loops) > 0 && action != nil && loops[len(loops)-1].Stmt.Span().Covers(x.Node.Span()) && x.Node.Span().End < step.Node.Span().Start &&
		infer.Reaches(x, action, nearAction)
}

// nearAction bounds the way from an observation to the action that is chosen by it.
const nearAction = 400

// ofSameState reports whether all that a target counts of what comes next is what networks say of the state of the prediction.
func ofSameState(p *pass.Pass, b query.Bellman, said []query.Evaluation) (at query.Place, ok bool) {
	for _, n := range b.Next {
		next := n.Value.Evaluations(b.At)
		if n.Carried || len(next) == 0 {
			return query.Place{}, false
		}
		for _, e := range next {
			if !slices.ContainsFunc(said, func(s query.Evaluation) bool { return sees(e, s) && p.Roles.OneKind(e.Net, s.Net) }) {
				return query.Place{}, false
			}
			at = e.At
		}
	}
	return at, at.Known()
}

// sees reports whether two networks are asked of one state, the first of what they are given.
func sees(e, o query.Evaluation) bool {
	return len(e.Inputs) > 0 && len(o.Inputs) > 0 && e.Inputs[0].SameInput(o.Inputs[0])
}
