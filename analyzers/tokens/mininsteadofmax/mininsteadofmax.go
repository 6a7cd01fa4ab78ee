// Package mininsteadofmax is rule TOK009, min-instead-of-max; rule.md says what it finds.
package mininsteadofmax

import (
	_ "embed"

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

// Analyzer reports divisors that are kept at 1 or below where they should be kept at 1 or above.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.div") {
		if len(v.In) < 2 || v.In[1] == nil {
			continue
		}
		bound := p.See(v).Input(1).Strip()
		n, ok := atMostOne(bound)
		if !ok || !isCount(n) || bound.Node == nil || bound.Frame == nil {
			continue
		}
		f := pass.At(bound.Val, n.Val)
		f.Evidence = domain.Derived
		p.Report(f)
	}
}

// atMostOne reads s as min(n, 1), in any spelling that has no lower bound.
func atMostOne(s query.Seen) (n query.Seen, ok bool) {
	switch {
	case !s.Known() || len(s.In) == 0:
	case (s.IsOp("min", "minimum") || s.Op == "builtins.min.pair") && len(s.In) > 1:
		for i := range 2 {
			if isLiteralOne(s, s.In[i]) {
				return s.Input(1 - i), true
			}
		}
	case s.IsOp("clamp", "clamp_max", "clip"):
		high := s.Arg("hi")
		if low := s.Arg("lo"); low != nil && !low.IsNone() {
			return query.Seen{}, false
		}
		return s.Input(0), isLiteralOne(s, high)
	}
	return query.Seen{}, false
}

// isLiteralOne reports whether a bound is written as 1 where it is applied: a setting that is 1 by default is no guard.
func isLiteralOne(s query.Seen, bound *infer.Val) bool {
	one, ok := bound.Float()
	return ok && one == 1 && bound.Node != nil && s.Node != nil && bound.Frame == s.Frame && s.Node.Span().Covers(bound.Node.Span())
}

// isCount reports whether s counts something: the ones of a mask, elements; or an argument that is to be an int.
func isCount(s query.Seen) bool {
	x := s.Strip()
	switch {
	case !x.Known():
		return false
	case x.Is(domain.Count), x.IsOp("count_nonzero", "numel", "len", "size"):
		return true
	case x.IsOp("sum") && len(x.In) > 0:
		_, is := query.MaskOf(x.Input(0))
		return is
	}
	param, ok := x.Node.(*ast.Param)
	if !ok || x.Op != infer.OpParam {
		return false
	}
	name, ok := param.Annotation.(*ast.Name)
	return ok && name.Ident == "int"
}
