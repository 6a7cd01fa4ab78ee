// Package dotstopsatnewline is rule RWD005, dot-stops-at-newline; rule.md says what it finds.
package dotstopsatnewline

import (
	_ "embed"
	"slices"
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

// Analyzer reports patterns whose dot ends at the first line of what models write on many.
var Analyzer = pass.Rule(Doc, run)

// long are the tags around which models write several lines.
var long = query.Words(`think thinking thought thoughts reason reasoning rationale scratchpad working_out start_working_out explanation analysis plan reflection`)

func run(p *pass.Pass) {
	scoring := map[*infer.Frame]bool{}
	for f := range p.ScoringFrames {
		scoring[f] = true
	}
	for f, call := range p.Calls() {
		r, ok := query.RegexAt(f, call)
		if !ok || p.In(r.AtFrame) == nil {
			continue
		}
		tag := r.StopsAtNewline(long)
		if tag == "" || oneLine(r.Subject) || !scoring[f] && !p.DecidesNumber(query.Place{Frame: f, Node: call}) {
			continue
		}
		p.Report(pass.Finding{At: r.At, Frame: r.AtFrame, Evidence: domain.Derived, Message: "the dot between the tags of `" + tag + "` stops at the end of a line", Fix: fix(p, r)})
	}
}

// maxMade bounds the way back from a text to what it is made of.
const maxMade = 32

// lineEnds are patterns that match each line end.
var lineEnds = []string{`\s+`, `\s`, `\n+`, `\n`, "\n", "\n+", `[\r\n]+`}

// oneLine reports whether a text is made of another by a call that leaves no line end in it, or is one of its lines.
func oneLine(text *infer.Val) bool {
	found := false
	infer.Walk(text, maxMade, func(v *infer.Val) bool {
		call, ok := v.Node.(*ast.Call)
		if !ok || v.Frame == nil {
			return !found
		}
		arg := func(i int) string {
			if i >= len(call.Args) {
				return ""
			}
			text, _ := v.Frame.Val(call.Args[i]).Str()
			return text
		}
		switch query.CalleeName(call) {
		case "splitlines":
			found = true
		case "split":
			found = found || len(call.Args) == 0 || arg(0) == "\n"
		case "replace":
			found = found || arg(0) == "\n" && !strings.Contains(arg(1), "\n")
		case "sub":
			found = found || slices.Contains(lineEnds, arg(0)) && !strings.Contains(arg(1), "\n")
		}
		return !found
	})
	return found
}

// fix adds the flag. Where a greedy dot would take more than is meant, or no flag is there to add to, it is to be looked at.
func fix(p *pass.Pass, r query.Regex) *pass.Fix {
	src := p.In(r.AtFrame)
	module := query.Path(r.At.Fun)
	module = module[:max(strings.LastIndexByte(module, '.'), 0)]
	if module == "" || r.At.Args == nil {
		return nil
	}
	out := &pass.Fix{Message: "Let the dot match line ends", EveryContext: true}
	if r.Flags != nil {
		out.Edits = src.Operate(r.Flags, ast.BitOr, module+".DOTALL")
	} else {
		out.Edits = src.SetArg(r.At, -1, "flags", module+".DOTALL")
	}
	if greedy(r.Pattern) {
		out.Applicability = "unsafe"
	}
	return out
}

// greedy reports whether a dot of a pattern takes as much as it can.
func greedy(pattern string) bool {
	for _, q := range []string{".*", ".+"} {
		for rest := pattern; ; {
			_, after, found := strings.Cut(rest, q)
			if !found {
				break
			}
			if !strings.HasPrefix(after, "?") {
				return true
			}
			rest = after
		}
	}
	return false
}
