package pass

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/rule"
)

// ContractRule makes an analyzer for a rule that is wholly told by the library's
// tables: it reports the contracts whose rows name the rule. The message is the
// fact, then the first sentence of "Why it matters".
func ContractRule(doc []byte) *analysis.Analyzer {
	return Rule(doc, func(p *Pass) {
		for _, v := range p.Violations() {
			p.Report(On(v.Call, contractMessage(p, v), v.Arg))
		}
	})
}

// Violations returns the broken contracts whose rows name this rule.
func (p *Pass) Violations() []Violation {
	var out []Violation
	for _, v := range p.ResultOf[Contracts].([]Violation) {
		if v.Contract.Rule == p.Doc().Name {
			out = append(out, v)
		}
	}
	return out
}

func contractMessage(p *Pass, v Violation) string {
	message := fmt.Sprintf("`%s` of `%s` is %s here", v.Contract.Arg, opName(v.Call), v.Arg.Q.Kind)
	if v.Contract.Accepts != 0 {
		message += fmt.Sprintf(", but takes %s", strings.ReplaceAll(v.Contract.Accepts.String(), "|", " or "))
	}
	return message + ": " + why(p.Doc())
}

// why is the first sentence of a rule's "Why it matters".
func why(d *rule.Doc) string {
	for _, part := range d.Section(rule.WhyItMatters).Parts {
		text := strings.Join(strings.Fields(strings.Join(part.Prose, " ")), " ")
		if text != "" {
			sentence, _, _ := strings.Cut(text, ". ")
			return strings.TrimSuffix(sentence, ".")
		}
	}
	return ""
}
