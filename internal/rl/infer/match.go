package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

func (in *interp) match(f *Frame, s *state, st *ast.Match) {
	subject := in.expr(f, s, st.Subject)
	out := s.clone()
	out.dead = true
	exhaustive := false
	for _, c := range st.Cases {
		if exhaustive {
			break
		}
		fits, sure := in.fits(f, s, c.Pattern, subject)
		if sure && !fits {
			continue
		}
		cs := s.clone()
		cond := in.newVal(Val{Q: domain.Unknown, Op: OpMatch, In: []*Val{subject}, Node: st.Subject, Frame: f, Guard: s.guard})
		cs.guarded(cond, true)
		in.bindPattern(f, cs, c.Pattern, subject)
		if c.Guard != nil {
			g := in.expr(f, cs, c.Guard)
			in.assume(f, cs, c.Guard, g, true)
		}
		in.block(f, cs, c.Body)
		in.joinState(out, cs)
		exhaustive = sure && c.Guard == nil
		s.guarded(cond, false)
	}
	if !exhaustive {
		in.joinState(out, s)
	}
	*s = *out
}

func (in *interp) bindPattern(f *Frame, s *state, p ast.Pattern, v *Val) {
	bind := func(name string, v *Val) {
		if name != "" && name != "_" {
			f.assign(s, f.code.slot(name), v)
		}
	}
	switch p := p.(type) {
	case *ast.MatchAs:
		if p.Pattern != nil {
			in.bindPattern(f, s, p.Pattern, v)
		}
		bind(p.Name, v)
	case *ast.MatchStar:
		bind(p.Name, in.unknown)
	case *ast.MatchSequence:
		for i, q := range p.Patterns {
			in.bindPattern(f, s, q, in.index(f, s, p, v, in.constant(int64(i))))
		}
	case *ast.MatchMapping:
		for i, q := range p.Patterns {
			in.bindPattern(f, s, q, in.index(f, s, p, v, in.expr(f, s, p.Keys[i])))
		}
		bind(p.Rest, in.unknown)
	case *ast.MatchClass:
		for _, q := range p.Patterns {
			in.bindPattern(f, s, q, in.unknown)
		}
		for i, q := range p.KwdPatterns {
			in.bindPattern(f, s, q, in.getAttr(f, s, p, v, p.KwdNames[i]))
		}
	case *ast.MatchOr:
		for _, q := range p.Patterns {
			in.bindPattern(f, s, q, v)
		}
	}
}

// fits reports whether a pattern takes a subject, where that is sure: constants
// are compared as if decides on them, and a sequence is no mapping.
func (in *interp) fits(f *Frame, s *state, p ast.Pattern, v *Val) (fits, sure bool) {
	switch p := p.(type) {
	case *ast.MatchAs:
		if p.Pattern == nil {
			return true, true
		}
		return in.fits(f, s, p.Pattern, v)
	case *ast.MatchOr:
		sure = true
		for _, q := range p.Patterns {
			fits, known := in.fits(f, s, q, v)
			if fits && known {
				return true, true
			}
			sure = sure && known
		}
		return false, sure
	case *ast.MatchValue:
		if isContainer(v) {
			return false, true
		}
		if eq, ok := foldCompare(ast.Eq, v, in.expr(f, s, p.Value)).(bool); ok {
			return eq, true
		}
	case *ast.MatchSequence:
		_, seq := v.Ref.(*SeqRef)
		return false, v.Const != nil || isContainer(v) && !seq
	case *ast.MatchMapping:
		_, dict := v.Ref.(*DictRef)
		return false, v.Const != nil || isContainer(v) && !dict
	}
	return false, false
}

func isContainer(v *Val) bool {
	switch v.Ref.(type) {
	case *SeqRef, *DictRef:
		return true
	}
	return false
}
