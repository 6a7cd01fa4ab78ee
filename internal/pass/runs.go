package pass

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/frameworks"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/runconf"
)

// Run is a run that the pass's file configures, in Python within a frame.
type Run struct {
	*frameworks.Run
	Frame *infer.Frame
}

// Runs are the runs that a file configures, a []Run. It is what makes a rule one of those that are run on
// files which are no Python.
var Runs = &analysis.Analyzer{
	Name:       "runs",
	Doc:        "reads how training runs are configured",
	Requires:   []*analysis.Analyzer{Syntax, Graph},
	ResultType: reflect.TypeFor[[]Run](),
	Run: func(p *analysis.Pass) (any, error) {
		src := p.ResultOf[Syntax].(*Source)
		out := []Run{}
		for _, r := range src.Runs {
			out = append(out, Run{Run: r})
		}
		out = append(out, runsInPython(src, p.ResultOf[Graph].(*query.Graph))...)
		for _, r := range out {
			if src.Pin != nil {
				r.Pin(src.Pin(r.Package, r.Own))
			}
		}
		return out, nil
	},
}

// ConfigRule makes an analyzer of the page of a rule whose findings are rows of the tables of frameworks.
func ConfigRule(doc []byte) *analysis.Analyzer {
	head := readHead(string(doc))
	a := Rule(doc, nil)
	a.Requires = []*analysis.Analyzer{Syntax, Graph, Runs}
	a.Run = func(ap *analysis.Pass) (any, error) {
		p := &Pass{Pass: ap, Source: ap.ResultOf[Syntax].(*Source), Graph: ap.ResultOf[Graph].(*query.Graph)}
		for _, r := range ap.ResultOf[Runs].([]Run) {
			for _, h := range r.Hits(head.Name) {
				p.reportHit(r, h)
			}
		}
		p.flush()
		return nil, nil
	}
	return a
}

// ScriptRule makes an analyzer that is run on launch scripts and configurations too.
func ScriptRule(doc []byte, run func(*Pass)) *analysis.Analyzer {
	a := Rule(doc, run)
	a.Requires = append([]*analysis.Analyzer{Runs}, a.Requires...)
	return a
}

// reportHit reports what a row of a table found: where the setting that decides is written.
func (p *Pass) reportHit(r Run, h frameworks.Hit) {
	in := p.holding(r.Frame, h.At.At)
	if in == nil {
		return
	}
	f := Finding{
		At: place(h.At.At), In: in, Frame: r.Frame, Evidence: domain.FromTable, Severity: finding.Severity(h.Severity),
		Message: h.Say(h.Headline), Why: h.Explain(h.Why), Help: h.Say(h.Help), Source: h.From(),
	}
	point := func(at runconf.Span, message string) {
		if in := p.holding(r.Frame, at); in != nil && at != (runconf.Span{}) {
			f.Related = append(f.Related, Related{Source: in, Node: place(at), Message: message})
		}
	}
	if h.Varies() && f.Severity.Compare(finding.Warning) < 0 {
		f.Severity = finding.Warning // a run may say else
	}
	point(h.At.From, origin(h.At))
	if h.At.At.File != r.At.File {
		point(r.At, "the run starts here, with this file")
	}
	for _, s := range h.Beside {
		point(s.At, "together with this setting")
		if s.Default != "" {
			point(s.From, origin(s))
		}
	}
	p.Report(f)
}

// origin says what a value comes from.
func origin(s runconf.Setting) string {
	if s.Default != "" {
		return "the default of `" + s.Default + "`, unless a run sets it"
	}
	return "the value comes from here"
}

// holding is the file in which a part of a configuration stands, nil for one that is not at hand.
func (p *Pass) holding(f *infer.Frame, at runconf.Span) *Source {
	switch {
	case at.File == "":
		return p.In(f)
	case p.Source.Beside == nil:
		return nil
	}
	return p.Source.Beside(at.File)
}

// place is a node of no tree: a span of a file that is no Python, or a part of a call.
func place(at runconf.Span) ast.Node {
	return &ast.Meta{Loc: ast.Span{Start: uint32(at.Start), End: uint32(at.End)}}
}

// OfScript returns the file and the node of a span that a script's reading gave; the file is nil where it is not at hand.
func (p *Pass) OfScript(at runconf.Span) (*Source, ast.Node) { return p.holding(nil, at), place(at) }
