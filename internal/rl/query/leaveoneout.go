package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// LeftOut is a division by one less than the size of the groups that its dividend was made of: the mean of the others.
type LeftOut struct {
	// Size is the size of the groups.
	Size *infer.Val
	g    *Graph
	div  *infer.Val
}

// LeftOutBy reads a division as one by n - 1, where the dividend was made of a batch cut into groups of n.
func (g *Graph) LeftOutBy(div *infer.Val) (LeftOut, bool) {
	if div == nil || len(div.In) < 2 || div.In[0] == nil {
		return LeftOut{}, false
	}
	size := oneMore(infer.Strip(div.In[1]))
	if size == nil || !groupedIn(div.In[0], size) {
		return LeftOut{}, false
	}
	return LeftOut{size, g, div}, true
}

// IsOne reports whether the groups surely have one member: the number or the default is 1, and the division is under no
// other setting. Where one chooses it, programs check both together where they read them.
func (l LeftOut) IsOne() bool {
	n, ok := l.Size.Int()
	return ok && n == 1 && l.Size.Op != infer.OpPhi && !l.depends() && !l.g.excludesOne(l.div, l.Size)
}

// MayBeOne reports whether the program's own check of the size lets 1 pass.
func (l LeftOut) MayBeOne() bool { return l.g.admitsOne(l.Size) && !l.g.guardedBy(l.div, l.Size) }

// Unchecked reports whether the size is one of two, as for training and evaluation, and nothing keeps it above 1. One
// setting is often checked where the program's options are read, in a module that is not looked at.
func (l LeftOut) Unchecked() bool { return l.Size.Op == infer.OpPhi && l.g.unchecked(l.div, l.Size) }

func (l LeftOut) depends() bool {
	return l.div.Guarded(func(guard *infer.Guard) bool {
		found := false
		infer.Walk(guard.Cond, 60, func(c *infer.Val) bool {
			found = found || c.Op == infer.OpConfig || strings.HasPrefix(c.Op, infer.OpAttr+".")
			return !found
		})
		return found
	})
}

// guardedBy reports whether v is computed under a condition on a size.
func (g *Graph) guardedBy(v, size *infer.Val) bool {
	return v.Guarded(func(guard *infer.Guard) bool { return g.asksOf(guard.Cond, size) })
}

// asksOf reports whether a condition is computed with a size: of `a == "rloo" and n > 1` inference keeps one side, which
// stands for the other.
func (g *Graph) asksOf(cond, size *infer.Val) bool {
	of := map[*infer.Val]bool{}
	infer.Walk(cond, 60, func(c *infer.Val) bool {
		of[c] = true
		return true
	})
	for c := range of {
		if c == size || infer.SameSource(c, size) {
			return true
		}
	}
	return slices.ContainsFunc(g.UsesOf(size), func(u *infer.Val) bool {
		return slices.ContainsFunc(g.Values.StandIns(u), func(by *infer.Val) bool { return of[by] })
	})
}

// oneMore is n of n - 1; nil for anything else.
func oneMore(v *infer.Val) *infer.Val {
	if v == nil || len(v.In) != 2 {
		return nil
	}
	bin, written := v.Node.(*ast.BinOp) // arithmetic on settings is a setting
	if !v.IsOp("sub") && !(written && bin.Op == ast.Sub) {
		return nil
	}
	if n, ok := v.In[1].Int(); !ok || n != 1 || v.In[1].Op != infer.OpConst {
		return nil
	}
	return infer.Strip(v.In[0])
}

// groupedIn reports whether x was made of a table of rows of a size.
func groupedIn(x, size *infer.Val) bool {
	found := false
	infer.Walk(x, 60, func(v *infer.Val) bool {
		if v.IsOp("view", "reshape") {
			for _, n := range Sizes(v) {
				n = infer.Strip(n)
				found = found || n != nil && (n == size || infer.SameSource(n, size) || sameSetting(n, size))
			}
		}
		return !found
	})
	return found
}
