// Package resultdiscarded is rule LOOP050, result-discarded; rule.md says what it
// finds.
package resultdiscarded

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

// Analyzer reports operations that change nothing, whose results are dropped.
var Analyzer = pass.Rule(Doc, run)

// The names are those of the library's functions, and all of them return what they compute. Whether an object's method is
// the tensor's is a question to the value, but for names that nothing else has.
var (
	tensorsOnly = query.Words(`unsqueeze masked_fill masked_scatter clamp clamp_min clamp_max repeat_interleave log_softmax index_fill index_add
		scatter_add nan_to_num unflatten type_as view_as expand_as permute squeeze`)
	ofArrays = query.Words(`clip abs exp log sqrt rsqrt square sigmoid tanh relu softmax scatter index_copy round floor ceil neg add sub
		mul div pow view reshape transpose t swapaxes movedim repeat expand flatten flip roll to cuda float half double long int bool bfloat16 byte
		astype type contiguous tril triu cumsum cumprod where`)
	functions = query.Words(`normalize pad append insert delete concatenate expand_dims maximum minimum cat concat stack hstack vstack
		one_hot layer_norm`)
	elsewhere = query.Words(`builtins.sorted builtins.reversed numpy.random.permutation numpy.sort`)
	moves     = query.Words(`to cuda contiguous float half double type type_as bfloat16`)
	// ofNumpy are those of the methods that arrays of numpy have; others are of an object that the array holds.
	ofNumpy = query.Words(`clip round view reshape transpose swapaxes repeat flatten astype cumsum cumprod squeeze`)
	// pure are the modules whose functions of these names return what they compute: a library keeps lists and sets too.
	pure = query.Words(`torch torch.nn.functional torch.special torch.linalg numpy numpy.linalg`)
)

func run(p *pass.Pass) {
	for f := range p.EachFrame {
		src := p.In(f)
		if src == nil || src.IsTest() {
			continue
		}
		query.Dropped(f, func(call *ast.Call) {
			if shown(src, f, call) {
				return
			}
			if x := unchanged(f, call); x != nil && query.ReadAfter(query.Place{Frame: f, Node: call}, x) {
				report(p, src, f, call, x)
			}
		})
		query.DroppedOperations(f, func(op *ast.BinOp) {
			if !shown(src, f, op) && isComputed(p, f, op) {
				p.Report(ofOperation(src, f, op))
			}
		})
	}
}

// shown reports whether an expression may be the last of a notebook's cell, whose value the notebook shows.
func shown(src *pass.Source, f *infer.Frame, e ast.Expr) bool {
	return f.Func == nil && strings.HasSuffix(src.Path, ".ipynb") && slices.ContainsFunc(f.Body(), func(st ast.Stmt) bool {
		alone, ok := st.(*ast.ExprStmt)
		return ok && alone.X == e
	})
}

// isComputed reports whether an operation is one with numbers or arrays, that takes something which is read later.
func isComputed(p *pass.Pass, f *infer.Frame, op *ast.BinOp) bool {
	switch op.Op {
	case ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow:
	default:
		return false // other operators are taken for other things, as in a >> b
	}
	at := query.Place{Frame: f, Node: op}
	return isNumeric(p, f.Val(op.X)) && isNumeric(p, f.Val(op.Y)) && query.IsPlace(op.X) && query.ReadAfter(at, op.X)
}

// isNumeric reports whether v is known to be a number or an array.
func isNumeric(p *pass.Pass, v *infer.Val) bool {
	if v == nil || v.Ref != nil {
		return false
	}
	_, number := p.See(v).Numbers()
	return number || query.IsArray(v)
}

// ofOperation is the finding of an operation whose result is dropped.
func ofOperation(src *pass.Source, f *infer.Frame, op *ast.BinOp) pass.Finding {
	x := src.Text(op.X)
	return pass.Finding{
		At: op, Frame: f, Evidence: domain.Derived, Message: "result of `" + src.Text(op) + "` is dropped",
		Why:  "the operation makes a new value and leaves `" + x + "` as it was, so this line does nothing",
		Help: "assign the result: `" + x + " = " + src.Text(op) + "`",
	}
}

// unchanged is what a call takes, computes with and leaves as it was; nil for other calls.
func unchanged(f *infer.Frame, call *ast.Call) ast.Expr {
	for _, k := range call.Keywords {
		if k.Name == "out" || k.Name == "inplace" || k.Name == "" {
			return nil
		}
	}
	if name := query.CalledSymbol(f, call); name != "" {
		return ofFunction(name, call)
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || !tensorsOnly[at.Attr] && !ofArrays[at.Attr] || query.WritesInto("numpy."+at.Attr, call, 1) {
		return nil
	}
	x := f.Val(at.X)
	if x == nil || x.Ref != nil || x.Lib == infer.LibNumpy && !ofNumpy[at.Attr] || !query.IsArray(x) && (!tensorsOnly[at.Attr] || !query.IsTensorLike(x)) {
		return nil
	}
	return at.X
}

// ofFunction is unchanged for the functions of the libraries.
func ofFunction(name string, call *ast.Call) ast.Expr {
	base := infer.BaseOp(name)
	known := elsewhere[name] || pure[strings.TrimSuffix(name, "."+base)] && (tensorsOnly[base] || ofArrays[base] || functions[base])
	if !known || len(call.Args) == 0 || query.WritesInto(name, call, 0) {
		return nil
	}
	return call.Args[0]
}

func report(p *pass.Pass, src *pass.Source, f *infer.Frame, call *ast.Call, x ast.Expr) {
	name := query.CalleeName(call)
	out := pass.Finding{
		At: call, Frame: f, Evidence: domain.Derived, Message: "result of `" + name + "()` is dropped",
		Why: "`" + name + "()` returns a new value and leaves its argument as it was, so this line does nothing",
	}
	if moves[name] {
		out.Severity = finding.Warning // often it is there and of that type already
	}
	if v := f.Val(x); v != nil && v.IsOp("Parameter") { // assigned to, it would be one no more
		out.Help = "write it into the parameter: `with torch.no_grad(): " + src.Text(x) + ".copy_(" + src.Text(call) + ")`"
	} else if query.IsPlace(x) {
		fixed := src.Text(x) + " = " + src.Text(call)
		out.Help = "write `" + fixed + "`"
		out.Fix = &pass.Fix{Message: "Assign the result of " + name + "()", Edits: src.Replace(call, fixed)}
	}
	p.Report(out)
}
