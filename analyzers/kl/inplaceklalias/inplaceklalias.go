// Package inplaceklalias is rule KL011, in-place-kl-alias; rule.md says what it
// finds.
package inplaceklalias

import (
	_ "embed"
	"slices"

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

// Analyzer reports KL tensors that are modified in place under one name and read under
// another.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if !slices.ContainsFunc(p.OfKind(domain.KL|domain.LogRatio), isTensor) {
		return // spares most modules the uses of their values
	}
	for u := range p.EachUsed {
		if u.Node == nil || u.Frame == nil || p.In(u.Frame) == nil || !writesInPlace(u) || u.In[0] == nil || masks(p.See(u)) {
			continue
		}
		kl := query.Memory(u.In[0])
		if !kl.Is(domain.KL|domain.LogRatio) || !isTensor(kl) {
			continue
		}
		if later := readLater(p, kl, u, 8); later != nil {
			report(p, u, kl, later)
		}
	}
}

// isTensor reports whether it is known, not only by a name, that kl is a tensor.
func isTensor(kl *infer.Val) bool {
	return kl.Q.Evidence != domain.NameOnly && kl.Lib != infer.LibUnknown && !query.IsNumber(kl)
}

// unread yield what a tensor is, and nothing of its elements.
var unread = append([]string{"device", "dtype", "requires_grad", "is_cuda", "layout"}, query.SizeOps...)

// readLater returns something that reads kl after u modified it, other than through u.
func readLater(p *pass.Pass, kl, u *infer.Val, depth int) *infer.Val {
	for _, x := range p.UsesOf(kl) {
		switch {
		case x == u || x.Frame != u.Frame || x.Node == nil || x.Op == infer.OpPhi || writesInPlace(x) || x.IsOp(unread...):
		case x.Seq > u.Seq && x.Node.Span().Start > u.Node.Span().End:
			if !sameName(x, u, kl) {
				return x
			}
		case x.Op == infer.OpDisplay && depth > 0:
			if y := readLater(p, x, u, depth-1); y != nil {
				return y
			}
		}
	}
	return nil
}

// sameName reports whether x reads kl only under the name under which u modified it: then the
// change is meant to be seen.
func sameName(x, u, kl *infer.Val) bool {
	name, ok := modified(u).(*ast.Name)
	if !ok {
		return false
	}
	same, other := false, false
	ast.Walk(x.Node, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && x.Frame.Val(e) == kl {
			at, isName := e.(*ast.Name)
			same = same || isName && at.Ident == name.Ident
			other = other || !isName || at.Ident != name.Ident
		}
		return true
	})
	return same && !other
}

// modified is the expression of the tensor that is changed in place, all of it or a part, or nil.
func modified(u *infer.Val) ast.Expr {
	var x ast.Expr
	switch n := u.Node.(type) {
	case *ast.AugAssign:
		x = n.Target
	case *ast.Call:
		at, ok := n.Fun.(*ast.Attribute)
		if !ok {
			return nil
		}
		x = at.X
	}
	for {
		part, ok := x.(*ast.Subscript)
		if !ok {
			return x
		}
		x = part.X
	}
}

// writesInPlace reports whether u changes its first input.
func writesInPlace(u *infer.Val) bool {
	return u.Op == infer.OpStore && len(u.In) > 1 || query.InPlace(u)
}

// masks reports whether an in-place change sets some elements to 0, and leaves the others as they are: padding has no KL under
// any name.
func masks(u query.Seen) bool {
	isZero := func(v *infer.Val) bool {
		x, ok := v.Float()
		return ok && x == 0
	}
	switch {
	case u.Op == infer.OpStore:
		return isZero(u.In[1])
	case u.IsOp("masked_fill", "fill"):
		return isZero(u.In[len(u.In)-1])
	case u.IsOp("mul"):
		_, isMask := query.MaskOf(u.Input(1))
		return isMask
	}
	return false
}

func report(p *pass.Pass, u, kl, later *infer.Val) {
	src := p.In(u.Frame)
	f := pass.At(u, kl)
	f.Related = []pass.Related{{Source: src, Node: later.Node, Message: "the modified tensor is read here"}}
	p.Report(f)
}
