package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// groupSize is the setting that says how many elements a reduction takes together:
// n of x.view(-1, n).std(dim=1); nil where it is a number, or where that is not known.
func groupSize(v *infer.Val) *infer.Val {
	dim, ok := v.Arg("dim").Int()
	if !ok || dim != -1 && dim != 1 || len(v.In) == 0 {
		return nil
	}
	by, ok := GroupedBy(v)
	if !ok || by.Size.Const != nil && by.Size.Op != infer.OpConfig {
		return nil
	}
	return by.Size
}

// GroupSetting is the name of the attribute or option that says how many elements a reduction takes together, "" where none does.
func GroupSetting(v *infer.Val) string {
	size := groupSize(v)
	if size == nil {
		return ""
	}
	name, isAttr := strings.CutPrefix(size.Op, infer.OpAttr+".")
	at, read := size.Node.(*ast.Attribute)
	switch {
	case read && (isAttr || size.Op == infer.OpConfig):
		return at.Attr
	case isAttr:
		return name
	}
	return ""
}

// MayReduceOne reports whether a reduction takes groups that may have one element, since the
// program's own check of their size lets 1 pass. ReducesOne says where they surely have.
func (g *Graph) MayReduceOne(v *infer.Val) bool {
	size := groupSize(v)
	return size != nil && g.admitsOne(size)
}

// admitsOne reports whether the program checks a setting, and lets 1 pass: it raises unless
// n >= 1, say, and nothing that it checks takes 1 for wrong.
func (g *Graph) admitsOne(size *infer.Val) bool {
	admits, excludes := g.checksOf(size)
	return admits && !excludes
}

// GroupsUnchecked reports whether a reduction takes groups of a size that is a setting, or one of two, as for training and for an evaluation, and
// nothing in the program says that it has to be more than 1: no check that raises, and no condition on it around v.
func (g *Graph) GroupsUnchecked(v *infer.Val) bool { return g.unchecked(v, groupSize(v)) }

// unchecked reports whether size, by which v is computed, is chosen by a setting, and nothing keeps it above 1.
func (g *Graph) unchecked(v, size *infer.Val) bool {
	if size == nil || !isChosen(size) || size.Fn != nil && size.Fn.Guards {
		return false
	}
	if _, excludes := g.checksOf(size); excludes {
		return false
	}
	return !g.guardedBy(v, size)
}

// ExcludesOne reports whether v reduces groups of a size that the program itself takes for wrong where it is 1, under the choice of a
// setting under which it computes v: the default of the size may be 1, and one of several estimators ask for more.
func (g *Graph) ExcludesOne(v *infer.Val) bool {
	by, ok := GroupedBy(v)
	return ok && g.excludesOne(v, by.Size)
}

func (g *Graph) excludesOne(v, size *infer.Val) bool {
	chosen := chosenTexts(v)
	for _, c := range g.checks(size) {
		where := chosenTexts(c.cond)
		for _, other := range c.beside {
			where = append(where, textsOf(other)...)
		}
		if c.least > 1 && (len(where) == 0 || isPicked(v) || slices.ContainsFunc(where, func(text string) bool { return slices.Contains(chosen, text) })) {
			return true
		}
	}
	return false
}

// isPicked reports whether v is computed in a function that is chosen out of several, as out of a dict of estimators: which choice stands
// for it is not said there.
func isPicked(v *infer.Val) bool {
	for f := v.Frame; f != nil && f.Func != nil && f.Call != nil; f = f.Caller {
		name := f.Func.Name()
		if call, ok := f.Call.Node.(*ast.Call); ok && name != "__init__" && name != "__call__" && name != "forward" && CalleeName(call) != name {
			return true
		}
	}
	return false
}

// chosenTexts are those of the conditions around v in its function that something is compared with, as a setting is.
func chosenTexts(v *infer.Val) (out []string) {
	for guard := v.Guard; guard != nil && len(out) < maxSteps; guard = guard.Parent {
		if guard.Sense {
			out = append(out, textsOf(guard.Cond)...)
		}
	}
	return out
}

// textsOf are those that a condition compares something with.
func textsOf(cond *infer.Val) (out []string) {
	if cond == nil || !cond.IsOp("eq", "in") {
		return nil
	}
	for _, x := range cond.In {
		if text, ok := x.Str(); ok && x.Op == infer.OpConst && text != "__main__" {
			out = append(out, text)
		}
		if list, ok := infer.RefOf(x).(*infer.SeqRef); ok {
			for _, e := range list.Elems {
				if text, ok := e.Str(); ok {
					out = append(out, text)
				}
			}
		}
	}
	return out
}

// isChosen reports whether a size is a setting of which no default is seen, or one of two values.
func isChosen(size *infer.Val) bool {
	if _, known := size.Int(); known && size.Op != infer.OpPhi {
		return false
	}
	return size.Op == infer.OpPhi && len(size.In) > 1 || size.Op == infer.OpConfig || strings.HasPrefix(size.Op, infer.OpAttr+".")
}

// MembersUnchecked reports whether v reduces, whole, what was collected of one group, in a loop over a dict of groups or their ids, under no
// condition on how many there are.
func (g *Graph) MembersUnchecked(v *infer.Val) bool {
	if dim := v.Arg("dim"); dim != nil && !dim.IsNone() || len(v.In) == 0 || v.Frame == nil || v.Node == nil {
		return false
	}
	for _, l := range Around(PlaceOf(v)) {
		st, ok := l.Stmt.(*ast.For)
		if ok && overGroups(st.Iter) && madeIn(v.Node, st) {
			return !v.Guarded(func(guard *infer.Guard) bool {
				return asksSize(guard.Cond, func(c *infer.Val) bool { return c.IsOp(SizeOps...) })
			})
		}
	}
	return false
}

// overGroups reports whether a loop is over what a dict holds, or over different ids.
func overGroups(iter ast.Expr) bool {
	call, ok := iter.(*ast.Call)
	if !ok {
		return false
	}
	switch name := CalleeName(call); name {
	case "items", "values":
		return len(call.Args) == 0
	default:
		return (name == "unique" || name == "set") && len(call.Args) == 1
	}
}

// madeIn reports whether a computation in a loop reads what the loop iterates over, or what its body made of that.
func madeIn(n ast.Node, l *ast.For) bool {
	of := map[string]bool{}
	leaves(l.Target, func(x ast.Expr) { of[Path(x)] = true })
	reads := func(n ast.Node) bool {
		for name := range of {
			if name != "" && Reads(n, name) {
				return true
			}
		}
		return false
	}
	for _, st := range l.Body {
		if as, ok := st.(*ast.Assign); ok && reads(as.Value) {
			for _, t := range as.Targets {
				leaves(t, func(x ast.Expr) { of[Path(x)] = true })
			}
		}
	}
	return reads(n)
}

// checksOf reports whether the program's own checks of a setting let 1 pass, and whether one takes it for wrong.
func (g *Graph) checksOf(size *infer.Val) (admits, excludes bool) {
	for _, c := range g.checks(size) {
		admits, excludes = admits || c.least == 1, excludes || c.least > 1
	}
	return admits, excludes
}

// sizeCheck is a condition that has to hold, or the program raises, and the least size for which it does.
type sizeCheck struct {
	cond   *infer.Val
	least  int64
	beside []*infer.Val
}

// checks are the program's own checks of a setting.
func (g *Graph) checks(size *infer.Val) (out []sizeCheck) {
	for _, d := range g.demands() {
		if least, ok := leastOf(d.cond, size, !d.raises); ok {
			out = append(out, sizeCheck{d.cond, least, d.beside})
		}
	}
	return out
}

// leastOf is the least whole number above 0 that a comparison of size with a number leaves
// where it is sense; ok is false for anything else.
func leastOf(cond, size *infer.Val, sense bool) (least int64, ok bool) {
	if cond == nil || len(cond.In) != 2 {
		return 0, false
	}
	op, x, y := infer.BaseOp(cond.Op), cond.In[0], cond.In[1]
	if op == "in" && sense || op == "notin" && !sense {
		least, ok = leastIn(y)
		return least, ok && isSize(x, size)
	}
	if _, isNumber := x.Int(); isNumber && x.Op == infer.OpConst {
		x, y, op = y, x, map[string]string{"gt": "lt", "lt": "gt", "ge": "le", "le": "ge", "eq": "eq", "ne": "ne"}[op]
	}
	if !sense {
		op = map[string]string{"gt": "le", "le": "gt", "ge": "lt", "lt": "ge", "eq": "ne", "ne": "eq"}[op]
	}
	bound, isNumber := y.Int()
	if !isNumber || y.Op != infer.OpConst || !isSize(x, size) {
		return 0, false
	}
	switch op {
	case "ge":
		return max(bound, 1), bound >= 0
	case "gt":
		return bound + 1, bound >= 0
	case "ne":
		return 2, bound == 1
	}
	return 0, false
}

// leastIn is the least whole number above 0 that a list holds, or of which it is chosen; ok is false where that is not known.
func leastIn(list *infer.Val) (least int64, ok bool) {
	r, isList := infer.RefOf(list).(*infer.SeqRef)
	if !isList {
		return 0, false
	}
	if r.Elems == nil {
		return firstOf(infer.Strip(r.Elem))
	}
	for _, e := range r.Elems {
		n, known := e.Int()
		if !known || n < 1 {
			return 0, false
		}
		if least == 0 || n < least {
			least = n
		}
	}
	return least, least > 0
}

// firstOf is where a range() begins of which n is an element.
func firstOf(n *infer.Val) (int64, bool) {
	if !n.IsOp("range") || len(n.In) < 2 {
		return 0, false
	}
	first, known := n.In[0].Int()
	return first, known && first > 0
}

// isSize reports whether x is the setting that size is.
func isSize(x, size *infer.Val) bool {
	return x == size || infer.SameSource(x, size) || sameSetting(x, size)
}

// sameSetting reports whether two values are read from attributes of one name: settings are checked where they are declared.
func sameSetting(x, size *infer.Val) bool {
	return x != nil && x.Op == size.Op && strings.HasPrefix(x.Op, infer.OpAttr+".")
}
