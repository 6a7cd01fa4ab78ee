package pass

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # What a program runs
//
// A mistake in a function that nothing names does nothing to the runs of this program: it is worth a note. Whether something names it is
// a claim about text, as for settings (see mentions.go): a name anywhere in the project counts, also in a text and as an attribute of
// any object. One that something names, and that nothing which runs is seen to call, is worth a warning: perhaps it is called where that
// cannot be seen. A file that runs nothing itself and that no other one names says nothing of what is called: whoever reads it calls it.

// NeverCalled reports whether a frame is of a function, or of a class, that the program has and does not use.
func (p *Pass) NeverCalled(f *infer.Frame) bool {
	if p.Roles == nil { // a rule about settings
		return false
	}
	f = Outermost(f)
	if f == nil || f.Func == nil || f.Func.Def == nil || f.Module == nil || sourceOf(f.Module) == nil {
		return false
	}
	def, class := f.Func.Def, f.Func.Class
	if class != nil && class.Def != nil && len(class.Def.Decorators) == 0 && p.isUnnamed(f.Module, class.Def.Name, class.Def) {
		return p.runsWithout(f.Module)
	}
	if calledFromOutside(f) || strings.HasPrefix(def.Name, "__") {
		return false
	}
	return p.isUnnamed(f.Module, def.Name, def) && p.runsWithout(f.Module)
}

// seenToRun reports whether something that runs comes to a frame: the body of a module, or of a function that is called from outside. A
// mistake in what only stands there is as wrong, and yet it is not seen to change the training of any run.
func (p *Pass) seenToRun(f *infer.Frame) bool {
	f = Outermost(f)
	return f == nil || f.Func == nil || calledFromOutside(f) || sourceOf(f.Module) == nil || !p.runsWithout(f.Module)
}

// calledFromOutside reports whether what stands outside the program calls a function: a library that it is a hook of or that decorates
// it, or whoever starts a program at its main. A module calls nothing but the hooks of its own.
func calledFromOutside(f *infer.Frame) bool {
	def, class := f.Func.Def, f.Func.Class
	if def == nil || len(def.Decorators) > 0 || def.Name == "main" {
		return true
	}
	if class == nil {
		return false
	}
	return class.Def != nil && len(class.Def.Decorators) > 0 || slices.ContainsFunc(class.LibBases, func(base string) bool { return !callsNothing[base] })
}

// callsNothing are the classes of libraries that call no method of a class made from them, but those for operators and for forward.
var callsNothing = map[string]bool{"torch.nn.Module": true, "builtins.object": true, "abc.ABC": true, "typing.Generic": true, "typing.Protocol": true}

// starts reports whether statements of a module's body run the program: a loop, the call of one of the module's functions, or any call
// that is made only where the file is started. Other calls there prepare what others use.
func starts(body []ast.Stmt, functions map[string]bool) bool {
	return slices.ContainsFunc(body, func(st ast.Stmt) bool {
		switch st := st.(type) {
		case *ast.ExprStmt:
			call, ok := st.X.(*ast.Call)
			if !ok {
				return false
			}
			name, ok := call.Fun.(*ast.Name)
			return ok && functions[name.Ident]
		case *ast.For, *ast.While:
			return true
		case *ast.If:
			return startsFile(st.Cond) && slices.ContainsFunc(st.Then, isCall) || starts(st.Then, functions)
		}
		return false
	})
}

// startsFile reports whether a condition asks by __name__ whether the file is started.
func startsFile(cond ast.Expr) bool {
	c, ok := cond.(*ast.Compare)
	if !ok {
		return false
	}
	name, ok := c.X.(*ast.Name)
	return ok && name.Ident == "__name__"
}

// isCall reports whether a statement is a call.
func isCall(st ast.Stmt) bool {
	e, ok := st.(*ast.ExprStmt)
	if !ok {
		return false
	}
	_, ok = e.X.(*ast.Call)
	return ok
}

func functionsOf(m *ast.Module) map[string]bool {
	out := map[string]bool{}
	for _, st := range m.Body {
		if def, ok := st.(*ast.FunctionDef); ok {
			out[def.Name] = true
		}
	}
	return out
}

// Outermost is the evaluation that nobody called on the way to a frame.
func Outermost(f *infer.Frame) *infer.Frame {
	for range maxUnreached {
		if f == nil || f.Caller == nil {
			break
		}
		f = f.Caller
	}
	return f
}

// isUnnamed reports whether nothing in the project names a definition but itself.
func (p *Pass) isUnnamed(m *infer.Module, name string, def ast.Node) bool {
	for _, x := range p.MentionsOf(name) {
		if x.Module != m || x.Node == nil || !def.Span().Covers(x.Node.Span()) {
			return false
		}
	}
	return !p.MentionedElsewhere(m, name, []*infer.Module{m})
}

// runsWithout reports whether a module is run, or used, without what is asked about: its own body does something, or another file
// names it.
func (p *Pass) runsWithout(m *infer.Module) bool {
	out, known := p.without[m]
	if !known {
		name := m.Name[strings.LastIndexByte(m.Name, '.')+1:]
		out = starts(m.AST.Body, functionsOf(m.AST)) || p.MentionedElsewhere(m, name, []*infer.Module{m})
		if p.without == nil {
			p.without = map[*infer.Module]bool{}
		}
		p.without[m] = out
	}
	return out
}
