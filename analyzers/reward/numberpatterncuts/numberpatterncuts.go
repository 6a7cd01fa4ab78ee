// Package numberpatterncuts is rule RWD013, number-pattern-cuts; rule.md says what it finds.
package numberpatterncuts

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports patterns that take a part of a number for the number.
var Analyzer = pass.Rule(Doc, run)

var (
	reading = query.Words("search match fullmatch findall finditer")
	// GSM8K ends each solution with "#### 70,000". Other marks stand in front of answers of any task, so the program has to name the data set.
	mark    = "####"
	isMark  = regexp.MustCompile(`(?i)answer|boxed|result|solution`).MatchString
	isGSM8K = regexp.MustCompile(`(?i)gsm[-_]?8k`).MatchString
)

func run(p *pass.Pass) {
	named := 0 // whether the program names the data set: 0 is not asked yet
	names := func() bool {
		if named == 0 {
			named = -1
			if namesGSM8K(p) {
				named = 1
			}
		}
		return named > 0
	}
	for f, call := range p.Calls() {
		r, ok := query.RegexAt(f, call)
		if !ok || !reading[r.Name] || p.In(r.AtFrame) == nil {
			continue
		}
		found := r.Misreads("70,000", "-3")
		if len(found) == 0 || !r.TakesText() || r.WithoutCommas() {
			continue
		}
		m := found[0]
		if !strings.Contains(m.Before, mark) && (!isMark(m.Before) || !names()) {
			continue
		}
		out := pass.Finding{
			At: r.At, Frame: r.AtFrame, Evidence: domain.Derived,
			Message: fmt.Sprintf("the pattern reads `%s` as `%s`", strings.TrimSpace(m.Text()), m.Caught),
		}
		if at := r.Written; at.Known() && p.In(at.Frame) != nil { // one constant may serve several searches
			out.At, out.Frame = at.Node, at.Frame
			if !call.Span().Covers(at.Node.Span()) {
				out.Related = p.There(query.Place{Frame: f, Node: call}, "a number is read by it here")
			}
		}
		p.Report(out)
	}
}

// namesGSM8K reports whether a text of the program names the data set, by which libraries and files find it.
func namesGSM8K(p *pass.Pass) bool {
	found := false
	for m := range p.Modules() {
		ast.WalkModule(m.AST, func(n ast.Node) bool {
			s, ok := n.(*ast.String)
			found = found || ok && isGSM8K(s.Value)
			return !found
		})
	}
	return found
}
