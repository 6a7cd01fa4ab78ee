package pass

import (
	"cmp"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Finding is what a rule reports.
type Finding struct {
	// At is the expression that has to change.
	At ast.Node
	// Frame is the evaluation in which it is wrong. A frame may belong to another
	// module of the program than the pass's: the finding then stands there. Nil
	// means the pass's module.
	Frame *infer.Frame
	// Message is the headline, at most finding.MaxHeadline characters without a full stop:
	// the mistake. Why says in one sentence what it does to training, Help what to write.
	// What is empty is taken from the rule's page.
	Message, Why, Help string
	// Called is what the program calls the stand-ins of the help.
	Called Called
	// Source is the document that says so, where that is the evidence.
	Source string
	// Values are the values that make it wrong, most telling first. Where each got
	// its kind is shown with the finding.
	Values []*infer.Val
	// Severity is weaker than the rule's page says where this one finding matters less; empty
	// means as the page says.
	Severity finding.Severity
	// Evidence is what the finding rests on; zero means the weakest of Values.
	Evidence domain.Evidence
	// Unmistakable says that a name on which the finding rests alone is hardly given to anything else,
	// as logits to what holds probabilities: then it is no hint that stays hidden, but a warning.
	Unmistakable bool
	// In is the file in which At stands, where that is not the one of Frame.
	In *Source
	// Related are further places to look at.
	Related []Related
	// Fix removes the mistake, or is nil.
	Fix *Fix
}

// Related is a place in a module with what it adds to the explanation.
type Related struct {
	Source  *Source
	Node    ast.Node
	Message string
}

// Here points to where a value was computed; it is empty where that is no place of the checked files.
func (p *Pass) Here(v *infer.Val, message string) []Related {
	return p.There(query.PlaceOf(v), message)
}

// There points to a place; it is empty where that is none of the checked files.
func (p *Pass) There(at query.Place, message string) []Related {
	if !at.Known() || p.In(at.Frame) == nil {
		return nil
	}
	return []Related{{Source: p.In(at.Frame), Node: at.Node, Message: message}}
}

// BackwardOf points to the call of backward() of a loss.
func (p *Pass) BackwardOf(l roles.Loss) []Related {
	return p.Here(l.Backward.Val, "the gradient of the loss is computed here")
}

// At returns a finding at the syntax that computed v, with the texts of the rule's page.
func At(v *infer.Val, values ...*infer.Val) Finding {
	return Finding{At: v.Node, Frame: v.Frame, Values: values}
}

// WeakestOf returns the weakest evidence of the values. The evidence of a value
// of unknown kind says nothing and is passed over.
func WeakestOf(vals ...*infer.Val) domain.Evidence {
	weakest := domain.EvidenceBottom
	for _, v := range vals {
		if v != nil && v.Q.Kind.Known() {
			weakest = weakest.Join(v.Q.Evidence)
		}
	}
	if weakest == domain.EvidenceBottom {
		return domain.Derived
	}
	return weakest
}

// StrongestOf returns the strongest evidence of the values of known kind: for a
// rule to which one of them is proof enough.
func StrongestOf(vals ...*infer.Val) domain.Evidence {
	strongest := domain.NameOnly
	for _, v := range vals {
		if v != nil && v.Q.Kind.Known() {
			strongest = min(strongest, v.Q.Evidence)
		}
	}
	return strongest
}

// Report adds a finding. Findings at one place count once. What a test passes to a function of
// another module says nothing of that function: with arguments that nobody knows it is checked
// where it stands.
func (p *Pass) Report(f Finding) {
	in := p.In(f.Frame)
	if f.At == nil || in == nil {
		return // synthetic: nothing to point at
	}
	switch {
	case p.missing && in.hidesCode():
		return // what is missing may stand there
	case in.IsTest():
		f.Severity = finding.Note // it trains nothing
	case p.Source.IsTest():
		return
	case p.concernsNobody(f):
		return // people read it, and nothing is trained by it
	case p.NeverCalled(f.Frame):
		f.Severity = finding.Note // it trains nothing that the program runs
	case f.Severity.Compare(finding.Warning) < 0 && !p.comesTo(&f):
		f.Severity = finding.Warning
	}
	if f.Evidence == domain.EvidenceBottom {
		f.Evidence = WeakestOf(f.Values...)
	}
	f.Unmistakable = f.Unmistakable && f.Evidence == domain.NameOnly
	if f.Unmistakable && f.Severity == "" {
		f.Severity = finding.Warning
	}
	p.findings = append(p.findings, f)
}

// concernsNobody reports whether a rule about what a loss is made of speaks of a value that is printed or logged, and nothing else.
func (p *Pass) concernsNobody(f Finding) bool {
	if f.Frame == nil {
		return false
	}
	switch p.family {
	case "advantage", "value", "objective":
		v := f.Frame.Val(f.At)
		return v != nil && v.Op != infer.OpParam && p.OnlyShown(v)
	}
	return false
}

// flush hands the findings to the driver.
func (p *Pass) flush() {
	for i := range p.findings {
		p.Pass.Report(p.diagnostic(&p.findings[i]))
	}
}

func (p *Pass) diagnostic(f *Finding) analysis.Diagnostic {
	src := cmp.Or(f.In, p.In(f.Frame))
	span := f.At.Span()
	d := analysis.Diagnostic{Pos: src.pos(span.Start), End: src.pos(span.End), Message: p.joinTexts(f), URL: p.Analyzer.URL}
	for _, r := range append(p.origins(f), f.Related...) {
		s := r.Node.Span()
		d.Related = append(d.Related, analysis.RelatedInformation{
			Pos: r.Source.pos(s.Start), End: r.Source.pos(s.End), Message: r.Message,
		})
	}
	applicability := finding.Applicability("")
	if f.Fix != nil {
		applicability = p.applicability(f)
		d.SuggestedFixes = []analysis.SuggestedFix{f.Fix.suggested(src)}
	}
	d.Category = Category(evidenceOf(f), applicability, f.Severity)
	return d
}

// applicability is the fix's own, else as strong as the rule's page allows (""),
// but not safe where the function is also evaluated in a context in which the
// rule has nothing to say: the fix would change what is right there.
func (p *Pass) applicability(f *Finding) finding.Applicability {
	a := f.Fix.Applicability
	if (a == "" || a == finding.Safe) && !f.Fix.EveryContext && p.rightElsewhere(f) {
		return finding.Unsafe
	}
	return a
}

func (p *Pass) rightElsewhere(f *Finding) bool {
	if f.Frame == nil || f.Frame.Func == nil {
		return false
	}
	wrong := map[*infer.Frame]bool{}
	for _, g := range p.findings {
		if g.At == f.At {
			wrong[g.Frame] = true
		}
	}
	for g := range p.EachFrame {
		if query.SameBody(g, f.Frame) && !wrong[g] && g.Val(f.At) != nil {
			return true
		}
	}
	return false
}

// joinTexts puts the texts of a finding into the one that a diagnostic of go/analysis has,
// a line each.
func (p *Pass) joinTexts(f *Finding) string {
	return strings.TrimRight(strings.Join([]string{f.Message, f.Why, p.helpOf(f), f.Source}, "\n"), "\n")
}

// SplitTexts is the reverse: headline, why, help and source of a diagnostic's message.
func SplitTexts(message string) (headline, why, help, source string) {
	headline, rest, _ := strings.Cut(message, "\n")
	why, rest, _ = strings.Cut(rest, "\n")
	help, source, _ = strings.Cut(rest, "\n")
	return headline, why, help, source
}

// Category encodes what a diagnostic of go/analysis has no field for: the
// evidence, the applicability of its fix and its severity, as "derived",
// "derived/unsafe" or "derived//note".
func Category(e finding.Evidence, a finding.Applicability, s finding.Severity) string {
	return strings.TrimRight(strings.Join([]string{string(e), string(a), string(s)}, "/"), "/")
}

// ParseCategory is the reverse of Category.
func ParseCategory(category string) (finding.Evidence, finding.Applicability, finding.Severity) {
	e, rest, _ := strings.Cut(category, "/")
	a, s, _ := strings.Cut(rest, "/")
	return finding.Evidence(e), finding.Applicability(a), finding.Severity(s)
}

var evidences = map[domain.Evidence]finding.Evidence{
	domain.FromTable: finding.Table, domain.Derived: finding.Derived,
	domain.Used: finding.Used, domain.Annotated: finding.Annotated, domain.NameOnly: finding.NameOnly,
}

func evidenceOf(f *Finding) finding.Evidence {
	if f.Unmistakable {
		return finding.Named
	}
	return evidences[f.Evidence]
}
