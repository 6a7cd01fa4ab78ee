package observe

import (
	"fmt"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/source"
)

// Comparison holds what evaluation knows of tensors and arrays without a run to what the run showed:
// a difference is a mistake of a table or of inference, and no lack of knowledge.
type Comparison struct {
	Values int // facts that both know: a library, a gradient, a rank, a size
	Wrong  []Difference
}

// Difference is a fact of which both sources say something else.
type Difference struct {
	Place      string // FILE:LINE
	Text       string
	What       string // library, gradient, rank, size
	Said, Seen string
}

// comparer compares while a program is checked.
type comparer struct {
	mu      sync.Mutex
	records *records
	said    map[Difference]bool
	out     Comparison
}

func (c *comparer) analyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "comparison", Doc: "compares what is inferred with what was seen", Requires: []*analysis.Analyzer{pass.Values},
		ResultType: reflect.TypeFor[*comparer](),
		Run: func(p *analysis.Pass) (any, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, f := range p.ResultOf[pass.Values].(*infer.Result).Frames {
				if record := c.records.byPath[abs(f.Module.Path)]; record != nil && !f.Stale() {
					c.frame(f, record)
				}
			}
			return c, nil
		},
	}
}

// frame compares the values that one evaluation of a body made.
func (c *comparer) frame(f *infer.Frame, record *infer.Record) {
	lines := source.NewLines(f.Module.AST.Text)
	for v := range f.Each {
		if v.Node == nil || v.Ref != nil || f.Val(v.Node) != v {
			continue
		}
		sight := record.Sights[v.Node.Span()]
		if sight == nil || sight.Count == 0 || sight.Array == infer.LibUnknown {
			continue
		}
		at := Difference{Place: fmt.Sprintf("%s:%d", f.Module.Path, lines.Row(int(v.Node.Span().Start))), Text: f.Module.AST.Source(v.Node)}
		c.facts(at, v, sight)
	}
}

// facts compares the facts of one value.
func (c *comparer) facts(at Difference, v *infer.Val, s *infer.Sight) {
	if v.Lib != infer.LibUnknown {
		c.fact(at, "library", name(v.Lib), name(s.Array))
	}
	if known := v.Q.Grad == domain.Attached || v.Q.Grad == domain.Detached; known && s.Array == infer.LibTorch && s.Attached != s.Detached {
		c.fact(at, "gradient", fmt.Sprint(v.Q.Grad == domain.Attached), fmt.Sprint(s.Attached))
	}
	if !v.Q.Shape.Known() || !s.Rank {
		return
	}
	if rank := int(v.Q.Shape.Rank); rank != len(s.Shape) {
		c.fact(at, "rank", fmt.Sprint(rank), fmt.Sprint(len(s.Shape)))
		return
	}
	for i, n := range s.Shape {
		if size := int(v.Q.Shape.Dims[i].N); size >= 0 && n >= 0 {
			c.fact(at, "size", fmt.Sprint(size), fmt.Sprint(n))
		}
	}
}

// fact counts a fact that both know.
func (c *comparer) fact(at Difference, what, said, seen string) {
	c.out.Values++
	at.What, at.Said, at.Seen = what, said, seen
	if said != seen && !c.said[at] {
		c.said[at] = true
		c.out.Wrong = append(c.out.Wrong, at)
	}
}

func name(l infer.Lib) string {
	if l == infer.LibNumpy {
		return "numpy"
	}
	return "torch"
}
