package pass

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"sort"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Printer makes an analyzer that writes every line of the module, and below it
// what inference knows of the expressions that start on it: the text, the value
// in the reveal notation, what made it, its constant. A function that was
// evaluated in several contexts has a line for each value that differs.
func Printer(w io.Writer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "printer",
		Doc:      "prints the inferred values",
		Requires: []*analysis.Analyzer{Syntax, Values},
		Run: func(p *analysis.Pass) (any, error) {
			src, res := p.ResultOf[Syntax].(*Source), p.ResultOf[Values].(*infer.Result)
			_, err := w.Write(annotated(src, res))
			return nil, err
		},
	}
}

// Collector makes an analyzer that hands the value graph of each module to f,
// for tests and tools.
func Collector(f func(*Source, *infer.Result)) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "collector",
		Doc:      "hands out the value graph",
		Requires: []*analysis.Analyzer{Syntax, Values},
		Run: func(p *analysis.Pass) (any, error) {
			f(p.ResultOf[Syntax].(*Source), p.ResultOf[Values].(*infer.Result))
			return nil, nil
		},
	}
}

// note is one line below a line of the source.
type note struct {
	start, end uint32
	text       string
}

func annotated(src *Source, res *infer.Result) []byte {
	lines := src.File.Lines()
	notes := map[int][]note{}
	seen := map[note]bool{}
	for _, f := range res.Frames {
		if f.Stale() || f.Module.AST != src.AST {
			continue
		}
		for v := range f.Each {
			n, ok := noteOf(src, f, v)
			if ok && !seen[n] {
				seen[n] = true
				row := lines.Row(int(n.start))
				notes[row] = append(notes[row], n)
			}
		}
	}
	var b bytes.Buffer
	for row := 1; row <= lines.Count(); row++ {
		if row == lines.Count() && lines.Start(row) == lines.End(row) {
			break
		}
		fmt.Fprintf(&b, "%4d  %s\n", row, src.File.LineText(lines.Start(row)))
		list := notes[row]
		sort.SliceStable(list, func(i, j int) bool {
			return list[i].start < list[j].start || list[i].start == list[j].start && list[i].end > list[j].end
		})
		for _, n := range list {
			fmt.Fprintf(&b, "          %s\n", n.text)
		}
	}
	return b.Bytes()
}

// noteOf describes a value; values of which nothing is known have no note.
func noteOf(src *Source, f *infer.Frame, v *infer.Val) (note, bool) {
	e, ok := v.Node.(ast.Expr)
	if !ok || !v.Q.Kind.Known() && !v.Q.Shape.Known() && v.Const == nil || v.Op == infer.OpConst {
		return note{}, false
	}
	parts := []string{short(src.Text(e)), "=", v.Q.String(), "  from", v.Op}
	if v.Const != nil {
		parts = append(parts, fmt.Sprintf("  constant %v", constText(v.Const)))
	}
	if f.Func != nil {
		parts = append(parts, "  in "+f.Func.Name())
		if f.Entry {
			parts = append(parts, "(not called)")
		}
	}
	return note{e.Span().Start, e.Span().End, strings.Join(parts, " ")}, true
}

func constText(c any) string {
	if reflect.TypeOf(c).Kind() == reflect.Struct {
		return "None"
	}
	return fmt.Sprintf("%v", c)
}
