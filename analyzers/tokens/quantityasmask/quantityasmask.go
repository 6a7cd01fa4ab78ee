// Package quantityasmask is rule TOK041, quantity-as-mask; rule.md says what it finds.
package quantityasmask

import (
	_ "embed"
	"fmt"

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

// Analyzer reports calls that hand over one value as a quantity and as the mask of it. A keyword's name is what the called function
// promises, whoever that is.
var Analyzer = pass.Rule(Doc, run)

// numbers are quantities that are no mask. A reward may be one, of what was solved, and so may the end of an episode.
const numbers = domain.Advantage | domain.Return | domain.StateValue | domain.LogProb | domain.LogRatio | domain.Ratio

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		if len(call.Keywords) > 1 {
			check(p, f, call)
		}
		if at, ok := call.Fun.(*ast.Attribute); ok && makesBool(f, call, at) {
			rescaled(p, f, at.X)
		}
	}
	for f, c := range query.Everywhere[*ast.Compare](p.Graph) {
		if len(c.Ops) == 1 && (c.Ops[0] == ast.Eq || c.Ops[0] == ast.NotEq) {
			if n, ok := p.See(f.Val(c.Ys[0])).Float(); ok && (n == 0 || n == 1) {
				rescaled(p, f, c.X)
			}
		}
	}
}

// makesBool reports whether a call makes flags of numbers: x.bool() and x.to(torch.bool).
func makesBool(f *infer.Frame, call *ast.Call, at *ast.Attribute) bool {
	switch {
	case at.Attr == "bool":
		return len(call.Args) == 0
	case (at.Attr == "to" || at.Attr == "type" || at.Attr == "astype") && len(call.Args) == 1:
		switch name := query.CalledSymbol(f, &ast.Call{Fun: call.Args[0]}); name {
		case "torch.bool", "numpy.bool_", "builtins.bool":
			return true
		}
	}
	return false
}

// rescaled reports an expression that flags are made of, if they are columns of what a normaliser shifted and scaled: 0 is no longer 0 then. In a
// whole that was centred, as advantages are, a 0 says that an element does not differ from the mean.
func rescaled(p *pass.Pass, f *infer.Frame, e ast.Expr) {
	v := f.Val(e)
	if v == nil || p.In(f) == nil {
		return
	}
	x, columns := p.See(v), false
	for range maxPeeled {
		x = x.StripTo(func(s query.Seen) bool { return s.IsOp(infer.OpItem) })
		if !x.IsOp("clamp", "clip", infer.OpItem) {
			break
		}
		if sub, ok := x.Node.(*ast.Subscript); ok {
			_, several := sub.Index.(*ast.Tuple)
			columns = columns || several
		}
		x = x.Input(0)
	}
	if !columns || !x.IsOp("div") || len(x.In) < 2 || !infer.Within(x.In[1], nearSpread, func(v *infer.Val) bool { return v.IsOp("sqrt", "std", "var") }) {
		return
	}
	shifted := x.Input(0).Strip()
	if !shifted.IsOp("sub") || len(shifted.In) < 2 || isFixed(shifted.Input(1)) {
		return
	}
	p.Report(pass.Finding{
		At: e, Frame: f, Values: []*infer.Val{v}, Evidence: domain.Derived,
		Message: "flags are read out of what was normalised",
		Why:     "the normaliser subtracts a mean, so that a 0 is no longer 0 and every flag is true: a mask lets everything through",
		Help:    "normalise the part that holds quantities, and read the flags from the observation as it came",
		Related: p.Here(x.Val, "the numbers are shifted and scaled here"),
	})
}

// nearSpread bounds the way from a divisor to the spread that it is made of.
const nearSpread = 12

// maxPeeled bounds the operations between the normaliser and the flags.
const maxPeeled = 8

// isFixed reports whether s is a number of the program, and no statistic.
func isFixed(s query.Seen) bool {
	x := s.Strip()
	return !x.Known() || x.Const != nil || x.IsOp(infer.OpConst, infer.OpConfig) || x.Q.Shape.Known() && x.Q.Shape.Rank == 0 && x.Is(domain.Number)
}

// check reports the first keyword for a mask that gets what another keyword of the call is for.
func check(p *pass.Pass, f *infer.Frame, call *ast.Call) {
	for _, mask := range call.Keywords {
		v := f.Val(mask.Value)
		if v == nil || v.Const != nil || !query.KindNamed(mask.Name).Is(domain.Mask) || v.May(domain.Mask) {
			continue
		}
		if right := quantity(f, call, mask, v); right != nil && !isPlaceholder(call, mask) {
			out := pass.Finding{
				At: mask.Value, Frame: f, Values: []*infer.Val{v}, Evidence: domain.Derived,
				Help:    fmt.Sprintf("pass the mask as `%s`", mask.Name),
				Related: []pass.Related{{Source: p.In(f), Node: right.Value, Message: "the same value is passed as `" + right.Name + "` here"}},
			}
			if !v.Is(numbers) {
				out.Severity = finding.Warning // the keyword alone says what it is
			}
			p.Report(out)
			return
		}
	}
}

// quantity is the keyword under which a call hands over v, the mask's value, as what it is: known to be that, or not known to be anything else.
func quantity(f *infer.Frame, call *ast.Call, mask *ast.Keyword, v *infer.Val) *ast.Keyword {
	for _, k := range call.Keywords {
		kind := query.KindNamed(k.Name)
		if kind == 0 || !kind.Is(numbers) {
			continue
		}
		if v.Is(kind) && infer.SameSource(f.Val(k.Value), v) || !v.Q.Kind.Known() && oneName(k.Value, mask.Value) {
			return k
		}
	}
	return nil
}

// isPlaceholder reports whether a call passes one variable for three things or more: an empty tensor that stands for all of them.
func isPlaceholder(call *ast.Call, mask *ast.Keyword) bool {
	n := 0
	for _, k := range call.Keywords {
		if oneName(k.Value, mask.Value) {
			n++
		}
	}
	return n > 2
}

// oneName reports whether two arguments of a call are one variable: of what is not known, values may be one without being the same.
func oneName(a, b ast.Expr) bool {
	x, ok1 := a.(*ast.Name)
	y, ok2 := b.(*ast.Name)
	return ok1 && ok2 && x.Ident == y.Ident
}
