package library

import (
	"fmt"
	"slices"
	"strings"
)

// A rule computes one part of a value from the arguments of a call. Rows name
// rules, as "reduce(x,dim,keepdim)"; the rules themselves are the closed
// lists in shape.go, grad.go and ranges.go.
type rule[T any] struct {
	fn     func(a Args, params []ref) T
	params []ref
}

// ref is a parameter that a rule names, or the number in its place.
type ref struct {
	at      int // index into Func.Params
	literal *Operand
}

// eval applies the rule.
func (r rule[T]) eval(a Args) T { return r.fn(a, r.params) }

// ruleDef is one entry of a closed list: a function and how many parameters
// it names.
type ruleDef[T any] struct {
	fn       func(a Args, params []ref) T
	min, max int
}

// fixed is a rule without parameters that always gives v.
func fixed[T any](v T) ruleDef[T] { return ruleDef[T]{fn: func(Args, []ref) T { return v }} }

// parseRule reads NAME or NAME(PARAM,...) against a closed list and the
// parameters of the row.
func parseRule[T any](text string, list map[string]ruleDef[T], params []string) (rule[T], error) {
	name, rest, call := strings.Cut(text, "(")
	def, ok := list[name]
	if !ok {
		return rule[T]{}, fmt.Errorf("unknown rule %q", name)
	}
	var args []string
	if call {
		inner, closed := strings.CutSuffix(rest, ")")
		if !closed {
			return rule[T]{}, fmt.Errorf("rule %q: no closing parenthesis", text)
		}
		args = strings.Split(inner, ",")
	}
	if len(args) < def.min || len(args) > def.max {
		return rule[T]{}, fmt.Errorf("rule %q: %d parameters, want %d to %d", text, len(args), def.min, def.max)
	}
	r := rule[T]{fn: def.fn}
	for _, p := range args {
		to, ok := refer(strings.TrimSpace(p), params)
		if !ok {
			return rule[T]{}, fmt.Errorf("rule %q: no parameter %q", text, p)
		}
		r.params = append(r.params, to)
	}
	return r, nil
}

// refer resolves what a rule names: a parameter, or a number as in
// reduce(x,-1).
func refer(name string, params []string) (ref, bool) {
	if at := slices.Index(params, name); at >= 0 {
		return ref{at: at}, true
	}
	c := literal(name)
	if _, ok := number(c); !ok {
		return ref{}, false
	}
	o := ConstOperand(c)
	return ref{literal: &o}, true
}

// operand returns the argument that a rule names, or nil where it is not given.
func (a *Args) operand(r ref) *Operand {
	if r.literal != nil {
		return r.literal
	}
	return a.at(r.at)
}

// at returns the argument of the i-th parameter, or nil where it is not given.
func (a *Args) at(i int) *Operand {
	if a.given&(1<<i) == 0 {
		return nil
	}
	return &a.vals[i]
}

// get is operand by value.
func (a *Args) get(r ref) (Operand, bool) {
	if o := a.operand(r); o != nil {
		return *o, true
	}
	return Operand{}, false
}
