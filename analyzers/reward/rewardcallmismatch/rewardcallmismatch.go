// Package rewardcallmismatch is rule RWD001, reward-call-mismatch; rule.md says what it finds.
package rewardcallmismatch

import (
	_ "embed"
	"slices"
	"strings"

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

// Analyzer reports reward functions that cannot take the arguments with which their trainer calls them.
var Analyzer = pass.Rule(Doc, run)

// The names are those by which the trainers pass arguments.
func run(p *pass.Pass) {
	for _, sc := range p.Scored() {
		if p.In(sc.Frame) == nil {
			continue
		}
		params := query.Params(sc.Func)
		if name := refused(params, sc); name != "" {
			help, fix := taking(params, sc)
			report(p, sc, brief("reward function does not take `"+name+"`", ", which "+sc.By.Title+" passes"), help, fix)
		} else if name := lacking(params, sc); name != "" {
			report(p, sc, brief("reward function needs `"+name+"`", ", which "+sc.By.Title+" does not pass"), providing(params, sc), nil)
		}
	}
}

// taking is how a function takes all that is passed. One that is written for another framework would then lack what that passes.
func taking(params []*ast.Param, sc infer.Scored) (help string, fix *pass.Fix) {
	if sc.Other != nil {
		return "these are the parameters of a function for " + sc.Other.Title + ": write it for " + sc.By.Title + ", with `" +
			strings.Join(sc.By.Always[:min(2, len(sc.By.Always))], "`, `") + "` and `**kwargs`", nil
	}
	return "add `**kwargs` to its parameters", &pass.Fix{
		Message: "Add **kwargs", EveryContext: true, Edits: []pass.Edit{{Span: behind(params), New: ", **kwargs"}},
	}
}

// brief is a headline with as much as fits into it; none where a name is too long for one.
func brief(head, tail string) string {
	switch {
	case len(head) > finding.MaxHeadline:
		return ""
	case len(head+tail) > finding.MaxHeadline:
		return head
	}
	return head + tail
}

func report(p *pass.Pass, sc infer.Scored, message, help string, fix *pass.Fix) {
	out := pass.Finding{Frame: sc.Frame, Evidence: domain.Derived, Message: message, Help: help, Fix: fix}
	if sc.Func.Def != nil {
		out.At = sc.Func.Def.Params
	} else {
		out.At = sc.Func.Lambda
	}
	if sc.Trainer != nil && p.In(sc.At) != nil {
		out.Related = []pass.Related{{Source: p.In(sc.At), Node: sc.Trainer.Fun, Message: "this trainer calls it"}}
	}
	p.Report(out)
}

// refused is an argument that the trainer passes and the function has no parameter for; "" where it takes all.
func refused(params []*ast.Param, sc infer.Scored) string {
	places := 0
	for _, q := range params {
		switch q.Kind {
		case ast.VarKwArgs:
			return ""
		case ast.VarArgs:
			places += sc.By.Positional
		case ast.PosOnly, ast.PosOrKw:
			places++
		}
	}
	for i, name := range append(slices.Clone(sc.By.Always), sc.Columns()...) {
		if i < sc.By.Positional {
			if places <= i {
				return name
			}
			continue
		}
		if !slices.ContainsFunc(params, func(q *ast.Param) bool { return q.Name == name && q.Kind != ast.PosOnly && q.Kind != ast.VarArgs }) {
			return name
		}
	}
	return ""
}

// lacking is a parameter without a default that the trainer passes nothing for, as far as that is known: the columns of the
// data set are, or it passes none. Settings of verl name further arguments.
func lacking(params []*ast.Param, sc infer.Scored) string {
	if sc.By.Each || sc.Partial || sc.Trainer == nil || sc.By.Columns && (sc.Rows == nil || sc.Rows.Open) {
		return ""
	}
	for i, q := range params {
		given := q.Default != nil || q.Kind == ast.VarArgs || q.Kind == ast.VarKwArgs || i < sc.By.Positional || slices.Contains(sc.By.Given, q.Name)
		if !given && !slices.Contains(sc.Columns(), q.Name) {
			return q.Name
		}
	}
	return ""
}

// providing says where the value of a parameter that nothing is passed for can come from: most often the data set has it
// under another name. A default would silence the call and not give the value.
func providing(params []*ast.Param, sc infer.Scored) string {
	free := slices.DeleteFunc(slices.Clone(sc.Columns()), func(column string) bool {
		return column == "prompt" || slices.ContainsFunc(params, func(q *ast.Param) bool { return q.Name == column })
	})
	if len(free) == 0 || len(free) > mostNamed {
		return "add a column of that name to the data set"
	}
	return "name it as the column that holds it (`" + strings.Join(free, "`, `") + "`), or add a column of that name to the data set"
}

// mostNamed bounds the columns that a help names.
const mostNamed = 3

// behind is the place behind the last parameter.
func behind(params []*ast.Param) ast.Span {
	end := params[len(params)-1].Span().End
	return ast.Span{Start: end, End: end}
}
