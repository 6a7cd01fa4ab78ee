package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// block interprets statements in order until control cannot go on.
func (in *interp) block(f *Frame, s *state, body []ast.Stmt) {
	for _, st := range body {
		if s.dead || in.halted() {
			return
		}
		in.deeper()
		in.stmt(f, s, st)
		in.level--
	}
}

func (in *interp) stmt(f *Frame, s *state, st ast.Stmt) {
	f.cur = s
	switch st := st.(type) {
	case *ast.ExprStmt:
		in.expr(f, s, st.X)
	case *ast.Assign:
		v := in.stepTuple(f, s, st, in.expr(f, s, st.Value))
		for _, t := range st.Targets {
			in.assign(f, s, t, v)
		}
	case *ast.AugAssign:
		in.augAssign(f, s, st)
	case *ast.AnnAssign:
		in.annAssign(f, s, st)
	case *ast.Return:
		in.ret(f, s, st)
	case *ast.If:
		in.ifStmt(f, s, st)
	case *ast.For:
		in.forStmt(f, s, st)
	case *ast.While:
		in.whileStmt(f, s, st)
	case *ast.With:
		in.with(f, s, st)
	case *ast.Try:
		in.try(f, s, st)
	case *ast.Match:
		in.match(f, s, st)
	case *ast.Assert:
		c := in.expr(f, s, st.Cond)
		in.assume(f, s, st.Cond, c, true)
		if t, known := Truth(c); known && !t && c.Op != OpConfig {
			s.dead = true
		}
	case *ast.Raise:
		in.optional(f, s, st.X)
		s.dead = true
	case *ast.Break:
		in.jump(f, s, true)
	case *ast.Continue:
		in.jump(f, s, false)
	case *ast.FunctionDef:
		in.funcDef(f, s, st)
	case *ast.ClassDef:
		in.classDef(f, s, st)
	case *ast.Import:
		in.importStmt(f, s, st)
	case *ast.ImportFrom:
		in.importFrom(f, s, st)
	case *ast.Delete:
		for _, t := range st.Targets {
			if slot := f.code.slotOf(t); slot >= 0 {
				f.assign(s, slot, nil)
			}
			if sub, ok := t.(*ast.Subscript); ok {
				in.shorten(f, s, in.expr(f, s, sub.X), in.expr(f, s, sub.Index))
			}
		}
	}
}

func (in *interp) optional(f *Frame, s *state, e ast.Expr) *Val {
	if e == nil {
		return nil
	}
	return in.expr(f, s, e)
}

func (in *interp) ret(f *Frame, s *state, st *ast.Return) {
	v := in.none()
	if st.X != nil {
		v = in.expr(f, s, st.X)
	}
	f.returns = append(f.returns, v)
	in.leave(f, s)
	s.dead = true
}

func (in *interp) ifStmt(f *Frame, s *state, st *ast.If) {
	c := in.expr(f, s, st.Cond)
	if t, known := Truth(c); known && c.Op != OpConfig {
		if t {
			in.block(f, s, st.Then)
		} else {
			in.block(f, s, st.Else)
		}
		return
	}
	before := s.guard
	other := s.clone()
	in.assume(f, s, st.Cond, c, true)
	in.assume(f, other, st.Cond, c, false)
	stores := in.storing
	in.block(f, s, st.Then)
	in.block(f, other, st.Else)
	thenEnds, elseEnds := s.dead, other.dead
	if !thenEnds && !elseEnds && in.storing > stores {
		in.forgetStores()
	}
	in.by(c, func() { in.joinState(s, other) })
	if thenEnds == elseEnds {
		s.guard = before // both or neither go on: the condition no longer holds
	}
}

func (in *interp) with(f *Frame, s *state, st *ast.With) {
	outer := s.noGrad
	for _, it := range st.Items {
		v := in.expr(f, s, it.Context)
		s.noGrad = gradModeOf(v.Ref, gradKept).off(s.noGrad)
		if it.Target != nil {
			in.assign(f, s, it.Target, in.enterContext(f, s, it.Context, v))
		}
	}
	in.block(f, s, st.Body)
	s.noGrad = outer
}

// enterContext is what "as" binds: most context managers return themselves.
func (in *interp) enterContext(f *Frame, s *state, n ast.Node, v *Val) *Val {
	if inst, ok := v.Ref.(*Instance); ok {
		if m := inst.Class.Lookup("__enter__"); m != nil {
			return in.callVal(f, s, n, in.getAttr(f, s, n, v, "__enter__"), callArgs{})
		}
	}
	return v
}

func (in *interp) try(f *Frame, s *state, st *ast.Try) {
	start := s.clone()
	in.block(f, s, st.Body)
	middle := s.clone()
	in.block(f, s, st.Else)
	for _, h := range st.Handlers {
		// An exception may come anywhere in the body.
		hs := start.clone()
		if !middle.dead {
			in.joinState(hs, middle)
		}
		in.optional(f, hs, h.Type)
		if h.Name != "" {
			f.assign(hs, f.code.slot(h.Name), in.unknown)
		}
		in.block(f, hs, h.Body)
		in.joinState(s, hs)
	}
	if s.dead && len(st.Finally) > 0 {
		fs := start.clone()
		in.block(f, fs, st.Finally)
		return
	}
	in.block(f, s, st.Finally)
}

// Truth returns the boolean value of a constant.
func Truth(v *Val) (value, known bool) {
	if v == nil {
		return false, false
	}
	switch c := v.Const.(type) {
	case bool:
		return c, true
	case library.None:
		return false, true
	case int64:
		return c != 0, true
	case float64:
		return c != 0, true
	}
	return false, false
}

// none returns the value None.
func (in *interp) none() *Val {
	if in.noneVal == nil {
		in.noneVal = in.constant(library.None{})
	}
	return in.noneVal
}

// constant returns the value of a constant without a place in the source.
func (in *interp) constant(c any) *Val {
	if v := in.consts[c]; v != nil {
		return v
	}
	if in.consts == nil {
		in.consts = map[any]*Val{}
	}
	v := in.newVal(Val{Q: domain.ConstValue(c), Op: OpConst, Const: c})
	in.consts[c] = v
	return v
}
