// Package minibatchagainstbatch is rule OFF025, minibatch-against-batch; rule.md says what it finds.
package minibatchagainstbatch

import (
	_ "embed"
	"strings"

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

// Analyzer reports ratios of which one side is of a minibatch and the other of the whole batch.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("exp") {
		for _, s := range p.Paths(v) {
			x := s.Exponent()
			if !x.Known() || !x.Difference().Known() {
				continue
			}
			sub := x.Difference()
			if !sub.IsOp("sub") || len(sub.In) < 2 || sub.In[0] == nil || sub.In[1] == nil {
				continue
			}
			for i := range 2 {
				if taken := rowsOf(sub.Input(i), sub.Input(1-i)); taken != nil {
					report(p, sub, sub.Input(1-i), taken)
				}
			}
		}
	}
}

// rowsOf returns where rows of a batch are taken of which one is computed, where other holds all rows of the same batch; else nil.
func rowsOf(one, other query.Seen) (taken *infer.Val) {
	if !one.Is(domain.LogProb) || one.Q.Grad == domain.Detached || other.Q.Grad == domain.Attached && other.IsOp("log_prob", "gather") {
		return nil
	}
	batch := batchOf(other.Val)
	if batch == nil {
		return nil
	}
	infer.Walk(one.Val, 300, func(v *infer.Val) bool {
		if taken == nil && v.Op == infer.OpItem && len(v.In) > 1 && v.In[0] != nil && isDrawn(v.In[1]) && batchOf(v.In[0]) == batch && !uses(other.Val, v.In[1]) {
			taken = v
		}
		return taken == nil
	})
	return taken
}

// isDrawn reports whether an index takes the rows of a minibatch: positions that a loop goes through in groups, or that were shuffled.
func isDrawn(idx *infer.Val) bool {
	if idx == nil || idx.Const != nil || query.IsNumber(idx) {
		return false
	}
	found := false
	infer.Walk(idx, 30, func(v *infer.Val) bool {
		found = found || query.DrawsPositions(v)
		return !found
	})
	return found
}

func uses(v, idx *infer.Val) bool { return infer.Reaches(idx, v, 300) }

// batchOf says of which collection of rows a tensor holds all: the records that a list goes through, or the object or dict of which it is a
// field; nil where nobody knows.
func batchOf(v *infer.Val) any {
	for range 12 {
		v = allRows(v)
		if v == nil {
			return nil
		}
		if seq, ok := v.Ref.(*infer.SeqRef); ok {
			if comp, ok := v.Node.(*ast.Comp); ok && v.Frame != nil && len(comp.Clauses) == 1 && len(comp.Clauses[0].Ifs) == 0 {
				return holder(v.Frame.Val(comp.Clauses[0].Iter)) // of [t.action for t in buffer] the buffer
			}
			if seq.Elem == nil || len(seq.Elems) > 0 {
				return nil
			}
			return recordOf(seq.Elem)
		}
		switch {
		case len(v.In) == 0 || v.In[0] == nil:
			return nil
		case v.IsOp("stack", "cat", "concatenate", "vstack", "array", "asarray", "tensor"):
			v = v.In[0]
		case strings.HasPrefix(v.Op, infer.OpAttr+"."):
			return holder(v.In[0])
		default:
			return nil
		}
	}
	return nil
}

// allRows follows a value back through what keeps its rows; nil where some of them are taken.
func allRows(v *infer.Val) *infer.Val {
	for range 64 {
		from := infer.Through(v)
		switch {
		case v == nil || v.Op == infer.OpItem:
			return nil
		case from == nil:
			return v
		}
		v = from
	}
	return nil
}

// recordOf says through which collection an element's record goes: buffer of t.action for t in buffer.
func recordOf(v *infer.Val) any {
	for range 8 {
		v = infer.Strip(v)
		switch {
		case v == nil || len(v.In) == 0 || v.In[0] == nil:
			return nil
		case v.Op == infer.OpIterate:
			return holder(v.In[0])
		case v.Op == infer.OpItem, strings.HasPrefix(v.Op, infer.OpAttr+"."):
			v = v.In[0]
		default:
			return nil
		}
	}
	return nil
}

// holder identifies an object, or a value that is known no further.
func holder(v *infer.Val) any {
	v = infer.Strip(v)
	if v == nil {
		return nil
	}
	switch {
	case v.Op == infer.OpParam && v.Node != nil:
		return v.Node // whatever is learned of it on the way
	case v.Ref != nil:
		return v.Ref
	}
	return v
}

func report(p *pass.Pass, sub, whole query.Seen, taken *infer.Val) {
	if p.In(sub.Frame) == nil || sub.Node == nil {
		return
	}
	f := pass.At(sub.Val)
	if e := p.Operand(sub.Val, whole.Val); e != nil {
		f.At = e
	}
	f.Evidence = domain.Derived
	f.Related = p.Here(taken, "the other side is of these rows")
	p.Report(f)
}
