// Package valueheadbounded is rule OFF050, value-head-bounded; rule.md says what it finds.
package valueheadbounded

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports values whose network ends in a bounded activation, while their targets are sums of rewards.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	var sums []query.Bellman
	for _, b := range p.Bellmans() {
		if isPlain(b) {
			sums = append(sums, b)
		}
	}
	if len(sums) == 0 {
		return
	}
	for _, e := range p.Roles.Errors() {
		for i, side := range e.Sides {
			target := e.Sides[1-i]
			if b := sumIn(target, sums); b.Known() {
				check(p, side, b)
			}
		}
	}
}

// isPlain reports whether the rewards of a sum are as they come, and nothing cuts the sum off.
func isPlain(b query.Bellman) bool {
	for _, r := range b.Rewards {
		if x := r.Strip(); !x.Known() || x.Const != nil || x.IsOp("clamp", "clip", "sign", "tanh", "sigmoid", "mul", "div") {
			return false
		}
	}
	return true
}

// maxTarget bounds the way from a target back to the sum that it is made of.
const maxTarget = 64

// sumIn is the sum that a target is made of by views, stacks, lists, stores and choices alone; no value where there is none.
func sumIn(target query.Seen, sums []query.Bellman) (found query.Seen) {
	for root := range target.EachRoot {
		infer.Walk(root.Val, maxTarget, func(v *infer.Val) bool {
			for _, b := range sums {
				if v == b.At.Val || v.Node != nil && v.Node == b.At.Node && v.Frame == b.At.Frame {
					found = b.At
				}
			}
			keeps := infer.Through(v) != nil || query.IsContainer(v) || v.IsOp("stack", "cat", "tensor", "array", infer.OpStore, infer.OpPhi, infer.OpItem, infer.OpIterate)
			return !found.Known() && keeps
		})
	}
	return found
}

// check reports the bounded heads by which a prediction is made.
func check(p *pass.Pass, prediction, sum query.Seen) {
	if prediction.Q.Grad == domain.Detached {
		return
	}
	_, picked := entry(prediction)
	var heads []query.Activated
	for root := range prediction.EachRoot {
		out, chosen := entry(root)
		bounded := query.Heads(out, activations(chosen || picked)...)
		if bounded == nil {
			return
		}
		heads = append(heads, bounded...)
	}
	for _, x := range heads {
		if x.IsOp("softmax", "log_softmax") && x.Q.Shape.MinRank() > 2 {
			continue // a distribution over the values of each action: its mean may reach what its support does
		}
		f := pass.At(x.By)
		f.Evidence = domain.Derived
		f.Severity = severity(x)
		f.Related = p.Here(sum.Val, "it is trained towards this sum of rewards")
		if e, ok := x.Node.(ast.Expr); ok && x.By == x.Val {
			if operand := p.Operand(x.Val, x.In[0]); operand != nil {
				src := p.In(x.Frame)
				f.Fix = &pass.Fix{Message: "Remove the activation", Edits: src.Replace(e, src.Operand(operand))}
			}
		}
		p.Report(f)
	}
}

// severity is a note where rewards may be such that all sums stay within the range: 1 for the goal at which an episode ends, and 0 before, under a
// sigmoid. How large they are stands in the environment, which is out of sight. A ReLU is a warning: below 0 it has no gradient by which a value
// could come back. The values of all actions that add up to one are an error with any rewards.
func severity(head query.Activated) finding.Severity {
	switch {
	case head.IsOp("softmax", "log_softmax"):
		return ""
	case head.IsOp("sigmoid", "tanh"):
		return finding.Note
	}
	return finding.Warning
}

// activations are those that bound what comes out. Of action values, of which one is chosen, DIST012 speaks of a ReLU.
func activations(chosen bool) []string {
	names := []string{"sigmoid", "tanh", "softmax", "log_softmax", "logsigmoid"}
	if !chosen {
		names = append(names, "relu")
	}
	return names
}

// entry is the output of the network of which a prediction takes an entry, and whether it takes one.
func entry(s query.Seen) (out query.Seen, chosen bool) {
	for range 8 {
		chosen = chosen || picksOne(s.Item())
		s = s.Strip()
		if !s.IsOp("gather", "max", "amax", "index_select", "take_along_dim", infer.OpItem) || len(s.In) == 0 {
			break
		}
		s, chosen = s.Input(0), true
	}
	return s, chosen
}

// picksOne reports whether s is x[rows, actions]: one entry of each row, by a tensor.
func picksOne(s query.Seen) bool {
	if !s.Known() || s.Op != infer.OpItem || len(s.In) < 2 {
		return false
	}
	index, ok := infer.RefOf(s.In[1]).(*infer.SeqRef)
	if !ok || len(index.Elems) < 2 {
		return false
	}
	last := index.Elems[len(index.Elems)-1]
	return last != nil && last.Const == nil && last.Ref == nil
}
