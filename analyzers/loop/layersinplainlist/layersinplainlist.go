// Package layersinplainlist is rule LOOP031, layers-in-plain-list; rule.md says what it finds.
package layersinplainlist

import (
	_ "embed"
	"iter"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports layers that a module keeps in a list or dict of Python, where no optimizer finds them.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	told := map[ast.Node]bool{}
	for _, o := range p.Values.Instances {
		if o.Class == nil || o.Class.Def == nil || !o.Class.Derives("torch.nn.Module") || !isTrained(p, o) {
			continue
		}
		for name, v := range o.Attrs {
			if made := listed(p, o, v); made != nil && !told[made.Node] && onlyWalked(p, o.Class, name) {
				told[made.Node] = true
				p.Report(pass.Finding{At: made.Node, Frame: made.Frame, Evidence: domain.Derived})
			}
		}
	}
}

// isTrained reports whether an optimizer is given the parameters of an object, or of one that holds it.
func isTrained(p *pass.Pass, o *infer.Instance) bool {
	return slices.ContainsFunc(p.Roles.Optimizers, func(opt *roles.Optimizer) bool {
		return slices.ContainsFunc(opt.Networks, func(n *roles.Network) bool { return p.Roles.Holds(n.Ref, o) })
	})
}

// listed returns where a list of layers with weights is made that no optimizer has; nil for anything else.
func listed(p *pass.Pass, of *infer.Instance, v *infer.Val) *infer.Val {
	v = infer.Strip(v)
	if v == nil || v.Op != infer.OpDisplay || v.Node == nil || v.Frame == nil || v.Frame.Func == nil || v.Frame.Func.Name() != "__init__" {
		return nil
	}
	var elems []*infer.Val
	switch r := v.Ref.(type) {
	case *infer.SeqRef:
		if elems = r.Elems; elems == nil {
			elems = []*infer.Val{r.Elem}
		} else if len(elems) < 2 {
			return nil // a list of one hides a network from parameters(), as some want it
		}
	case *infer.DictRef:
		for _, x := range r.Fields {
			elems = append(elems, x)
		}
	}
	if len(elems) == 0 || slices.ContainsFunc(elems, func(x *infer.Val) bool { return !isLost(p, x) || p.Roles.Holds(of, x.Ref) }) {
		return nil
	}
	return v
}

// isLost reports whether a value is a layer of torch, made here, that no optimizer has and nothing freezes.
func isLost(p *pass.Pass, v *infer.Val) bool {
	n := p.Roles.Network(v)
	if n == nil || n.Frozen || n.CopyOf != nil || !p.Roles.HasWeights(n.Ref) {
		return false
	}
	if _, ok := n.Ref.(*infer.LibObject); !ok {
		return false
	}
	return !slices.ContainsFunc(p.Roles.Optimizers, func(o *roles.Optimizer) bool {
		return p.Roles.OverlapsAny(n, o.Networks) || !o.Complete && len(o.Networks) == 0
	})
}

// registering are methods and functions by which a module comes to know layers that it holds otherwise.
var registering = query.Words(`add_module register_module register_parameter setattr __setattr__ ModuleList ModuleDict ParameterList parameters named_parameters Sequential`)

// onlyWalked reports whether all the program does with a field is to go through it, to take items and to append: nothing
// registers what is in it, and a method other than the constructor uses it.
func onlyWalked(p *pass.Pass, c *infer.ClassRef, name string) bool {
	used, asked, learns := false, false, false
	for _, x := range p.MentionsOf(name) {
		switch x.How {
		case pass.AttrSet, pass.Bound, pass.Parameter, pass.Passed:
			continue
		case pass.Attr:
		default:
			return false
		}
		if x.Class != c.Def || x.Func == nil || !walks(x.Parent(), x.Node) {
			return false
		}
		used = used || x.Func.Name != "__init__"
		for v := range applied(p, x) {
			asked, learns = true, learns || v == nil || !v.NoGrad && v.Q.Grad != domain.Detached
		}
	}
	if asked && !learns {
		return false // targets, or features that stay random: no gradient is wanted
	}
	registers := false
	ast.Walk(c.Def, func(n ast.Node) bool {
		if e, ok := n.(*ast.Call); ok && registering[query.CalleeName(e)] {
			_, sets := e.Fun.(*ast.Name) // setattr(self, ...), whichever way it comes to the layer
			registers = registers || sets || mentions(e, name)
		}
		if a, ok := n.(*ast.Attribute); ok && registering[a.Attr] && a.Attr != "Sequential" && a.Attr != "ModuleList" {
			registers = true
		}
		return !registers
	})
	return used && !registers
}

// applied yields what the calls of layers return in the loop, comprehension or call in which a field is mentioned: of what the loop runs
// over, or of an item.
func applied(p *pass.Pass, x pass.Mention) iter.Seq[*infer.Val] {
	return func(yield func(*infer.Val) bool) {
		var within ast.Node
		for _, n := range x.Parents {
			switch n.(type) {
			case *ast.For, *ast.Comp, *ast.Call:
				within = n
			}
			if _, ok := n.(ast.Stmt); ok {
				break
			}
		}
		if within == nil {
			return
		}
		for f := range p.EachFrame {
			if f.Func == nil || f.Func.Def != x.Func {
				continue
			}
			for call := range query.In[*ast.Call](f) {
				switch call.Fun.(type) {
				case *ast.Name, *ast.Subscript:
					if within.Span().Covers(call.Span()) && f.Val(call.Fun).Is(domain.Module) && !yield(f.Val(call)) {
						return
					}
				}
			}
		}
	}
}

// walks reports whether the node above a field goes through it, takes an item or its length, or appends.
func walks(above, field ast.Node) bool {
	switch n := above.(type) {
	case *ast.For, *ast.Comp, *ast.CompClause:
		return true
	case *ast.Subscript:
		return ast.Node(n.X) == field
	case *ast.Attribute:
		return n.Attr == "append" || n.Attr == "values" || n.Attr == "items" || n.Attr == "keys"
	case *ast.Call:
		name := query.CalleeName(n)
		return name == "enumerate" || name == "zip" || name == "len" || name == "reversed"
	}
	return false
}

func mentions(e ast.Node, name string) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		a, ok := n.(*ast.Attribute)
		found = found || ok && a.Attr == name
		return !found
	})
	return found
}
