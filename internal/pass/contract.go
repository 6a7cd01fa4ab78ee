package pass

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/rule"
)

// ContractRule makes an analyzer for a rule that is wholly told by the library's
// tables: it reports the contracts whose rows name the rule. The message is the
// fact, then the first sentence of "Why it matters", then how to mend it, where the
// rule says that in one phrase for all calls: "pass the logits themselves".
func ContractRule(doc []byte, mend ...string) *analysis.Analyzer {
	return Rule(doc, func(p *Pass) {
		for _, v := range p.Violations() {
			message := strings.Join(append([]string{contractMessage(p, v)}, mend...), "; ")
			p.Report(On(v.Call, message, v.Arg))
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
	text := "an argument"
	if e := p.Operand(v.Call, v.Arg); e != nil {
		text = p.In(v.Call.Frame).Short(e)
	}
	message := fmt.Sprintf("%s is %s", text, v.Arg.Q.Kind)
	if v.Contract.Accepts != 0 {
		message += fmt.Sprintf(", but `%s` takes %s", opName(v.Call), strings.ReplaceAll(v.Contract.Accepts.String(), "|", " or "))
	} else {
		message += fmt.Sprintf(", which `%s` does not take", opName(v.Call))
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
