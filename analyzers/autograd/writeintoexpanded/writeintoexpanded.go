// Package writeintoexpanded is rule GRAD040, write-into-expanded; rule.md says what it finds.
package writeintoexpanded

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

// Analyzer reports writes into tensors whose elements share memory with each other.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for u := range p.Each {
		if !query.Writes(u) || u.Node == nil || p.In(u.Frame) == nil || u.Op == infer.OpStore && !isPlace(u) {
			continue
		}
		expanded := expandedOf(u.In[0])
		if expanded == nil {
			continue
		}
		f := pass.At(u)
		f.At, f.Evidence = writtenAt(u.Node), domain.Derived
		f.Related = p.Here(expanded, "it is expanded here")
		p.Report(f)
	}
}

// isPlace reports whether a store is known to be at a place of a tensor: a dictionary of tensors has expand() and keys.
func isPlace(u *infer.Val) bool {
	if len(u.In) < 3 || u.In[2] == nil {
		return false
	}
	at := u.In[2]
	switch at.Ref.(type) {
	case *infer.SliceRef, *infer.SeqRef:
		return true
	}
	return !at.Is(domain.Text) && (at.Lib != infer.LibUnknown || at.Is(domain.Number|domain.Index|domain.Mask|domain.Count))
}

// views are operations whose result is in the memory of their tensor, element by element.
var views = []string{"detach", "data", "unsqueeze", "squeeze", "transpose", "permute", "t", "T"}

// expandedOf returns the expand() of which a tensor is a view, earlier writes aside; nil where there is none.
func expandedOf(v *infer.Val) *infer.Val {
	for range 16 {
		switch {
		case v == nil || len(v.In) == 0 || v.Lib == infer.LibNumpy:
			return nil
		case v.Fn != nil && v.IsOp("expand", "expand_as", "broadcast_to"):
			if sizes := v.In[1:]; len(sizes) > 0 && !keepsAll(sizes) {
				return v
			}
			v = v.In[0]
		case v.Fn != nil && v.IsOp(views...) && !v.Fn.InPlace:
			v = v.In[0]
		default:
			return nil
		}
	}
	return nil
}

// keepsAll reports whether expand() is told to leave every axis as it is.
func keepsAll(sizes []*infer.Val) bool {
	for _, n := range sizes {
		if n == nil {
			continue
		}
		if x, ok := n.Float(); !ok || x != -1 && x != 1 {
			return false
		}
	}
	return true
}

// writtenAt is the expression of the tensor that is written into.
func writtenAt(n ast.Node) ast.Node {
	switch x := n.(type) {
	case *ast.Subscript: // y[i] = ...
		return x.X
	case *ast.Call: // y.add_(...)
		if at, ok := x.Fun.(*ast.Attribute); ok {
			return at.X
		}
	}
	return n
}
