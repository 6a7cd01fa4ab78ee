// Package groupslicewrong is rule ADV012, group-slice-wrong; rule.md says what it
// finds.
package groupslicewrong

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports slices that multiply by the group size in a loop that steps by it.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made(infer.OpDisplay, "slice") {
		low, high := bounds(v)
		if low == nil || high == nil {
			continue
		}
		i, size := product(p.See(low))
		if !i.Known() || !isGroup(p.See(high), i, size) {
			continue
		}
		if rng := i.Strip(); rng.Op == "builtins.range" && len(rng.In) == 3 && rng.Input(2).Same(size) {
			p.Report(finding(p, v, rng, size))
		}
	}
}

// bounds returns the ends of a slice, written with a colon or with slice().
func bounds(v *infer.Val) (low, high *infer.Val) {
	switch {
	case v.Op == infer.OpCall+".builtins.slice" && len(v.In) >= 2:
		return v.In[0], v.In[1]
	case v.Frame == nil:
		return nil, nil
	}
	n, ok := v.Node.(*ast.Slice)
	if !ok || n.Low == nil || n.High == nil {
		return nil, nil
	}
	return v.Frame.Val(n.Low), v.Frame.Val(n.High)
}

// product reads i * size, where i counts in a loop.
func product(s query.Seen) (i, size query.Seen) {
	s = s.Strip()
	if !s.Known() || !s.IsOp("mul") || len(s.In) < 2 {
		return query.Seen{}, query.Seen{}
	}
	for k := range 2 {
		if x := s.Input(k).Strip(); x.Known() && x.Op == "builtins.range" {
			return x, s.Input(1 - k)
		}
	}
	return query.Seen{}, query.Seen{}
}

// isGroup reports whether high is (i+1) * size, or i*size + size.
func isGroup(high, i, size query.Seen) bool {
	high = high.Strip()
	if !high.Known() || len(high.In) < 2 {
		return false
	}
	for k := range 2 {
		a, b := high.Input(k).Strip(), high.Input(1-k)
		switch {
		case !a.Known() || !b.Same(size):
		case high.IsOp("mul") && a.IsOp("add") && len(a.In) > 1 && (a.Input(0).Same(i) || a.Input(1).Same(i)):
			return true
		case high.IsOp("add"):
			if j, other := product(a); j.Known() && j.Same(i) && other.Same(size) {
				return true
			}
		}
	}
	return false
}

func finding(p *pass.Pass, v *infer.Val, rng, size query.Seen) pass.Finding {
	f := pass.At(v)
	call, ok := rng.Node.(*ast.Call)
	if !ok || len(call.Args) != 3 || rng.Frame == nil || p.In(rng.Frame) == nil {
		return f
	}
	src := p.In(rng.Frame)
	f.Related = []pass.Related{{Source: src, Node: call, Message: "this loop already steps by the group size"}}
	if c, isInt := rng.Input(0).Int(); isInt && c == 0 && rng.Frame == v.Frame {
		text := fmt.Sprintf("range(%s // %s)", src.Operand(call.Args[1]), src.Operand(call.Args[2]))
		f.Fix = &pass.Fix{Message: "Loop over group numbers", Edits: src.Replace(call, text)}
	}
	return f
}
