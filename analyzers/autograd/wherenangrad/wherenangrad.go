// Package wherenangrad is rule GRAD008, where-nan-grad; rule.md says what it finds.
package wherenangrad

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports branches of where that are guarded against NaN on the way forwards only.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("where", "masked_fill") {
		if v.Fn == nil || !p.Roles.Differentiates(v) {
			continue
		}
		for _, b := range branchesOf(v) {
			for _, s := range singularsIn(b.value) {
				if t, ok := testOf(b, s); ok {
					report(p, v, b, s, t)
				}
			}
		}
	}
}

// branch is the value that where takes if cond is when, and drops otherwise.
type branch struct {
	value, cond *infer.Val
	when        bool
}

func branchesOf(v *infer.Val) []branch {
	if v.IsOp("masked_fill") {
		return []branch{{v.Arg("x"), v.Arg("mask"), false}}
	}
	return []branch{{v.Arg("x"), v.Arg("cond"), true}, {v.Arg("y"), v.Arg("cond"), false}}
}

// testOf returns the test that drops a branch exactly where s is singular: the test shows
// that the program expects this case.
func testOf(b branch, s query.Singular) (test, bool) {
	if s.Arg == nil || s.Arg.Q.Range.NonZero || stops(s) {
		return test{}, false
	}
	for _, t := range testsOf(b.cond, b.when, 4) {
		switch {
		case t.result && (infer.SameSource(t.x, b.value) || infer.SameSource(t.x, s.Op)):
			return t, true
		case t.result || !infer.SameSource(zeroRoot(t.x), zeroRoot(s.Arg)):
		case t.zero && (t.exact || s.Arg.Q.Range.NonNegative()):
			return t, true
		case t.below && s.Below && s.Arg.Q.Range.Lo < domain.Zero && infer.SameSource(t.x, s.Arg):
			return t, true
		}
	}
	return test{}, false
}

// stops reports whether the argument was cut off at 0, so that an infinite gradient stops
// there: the gradient of relu and clamp is 0 below, whatever comes in.
func stops(s query.Singular) bool {
	return !s.Op.IsOp("div") && query.Whole(s.Arg).IsOp("relu", "relu6", "clamp", "clamp_min")
}

func report(p *pass.Pass, where *infer.Val, b branch, s query.Singular, t test) {
	if p.In(s.Op.Frame) == nil || s.Op.Node == nil {
		return
	}
	at := "0"
	if s.Below {
		at = "0 or below"
	}
	f := pass.At(s.Op, s.Arg)
	f.Message = fmt.Sprintf("`%s` does not stop a NaN gradient", infer.BaseOp(where.Op))
	f.Help = fmt.Sprintf("also replace the argument where it is %s, before the operation", at)
	f.Evidence = domain.Derived
	if where.Node != nil && where.Frame != nil && p.In(where.Frame) != nil && !where.Node.Span().Covers(s.Op.Node.Span()) {
		f.Related = []pass.Related{{Source: p.In(where.Frame), Node: where.Node, Message: "the result is dropped here, but not its gradient"}}
	}
	f.Fix = fix(p, where, b, s, t)
	if p.Roles.MissesLosses(where) {
		f.Severity = finding.Note // nothing shows that anybody asks for this gradient
	}
	p.Report(f)
}

// fix replaces the dropped arguments with ones, before the operation. The operation is
// written inside the where, so the condition can be repeated and has the argument's shape.
func fix(p *pass.Pass, where *infer.Val, b branch, s query.Singular, t test) *pass.Fix {
	cond, arg := p.Operand(where, b.cond), p.Operand(s.Op, s.Arg)
	if cond == nil || arg == nil || t.x != s.Arg || where.Frame != s.Op.Frame || !where.Node.Span().Covers(s.Op.Node.Span()) {
		return nil
	}
	src := p.In(where.Frame)
	choose, imports := src.Spell("torch.where")
	ones, more := src.Spell("torch.ones_like")
	kept, filled := src.Text(arg), ones+"("+src.Text(arg)+")"
	if !b.when {
		kept, filled = filled, kept
	}
	return &pass.Fix{
		Message:      "Replace the dropped arguments with ones",
		EveryContext: true,
		Edits:        src.Replace(arg, fmt.Sprintf("%s(%s, %s, %s)", choose, src.Text(cond), kept, filled)),
		Imports:      append(imports, more...),
	}
}
