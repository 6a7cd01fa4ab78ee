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
	fn     func(a Args, params []string) T
	params []string
}

// eval applies the rule.
func (r rule[T]) eval(a Args) T { return r.fn(a, r.params) }

// ruleDef is one entry of a closed list: a function and how many parameters
// it names.
type ruleDef[T any] struct {
	fn       func(a Args, params []string) T
	min, max int
}

// fixed is a rule without parameters that always gives v.
func fixed[T any](v T) ruleDef[T] { return ruleDef[T]{fn: func(Args, []string) T { return v }} }

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
	for i, p := range args {
		args[i] = strings.TrimSpace(p)
		if !slices.Contains(params, args[i]) && !isLiteral(args[i]) {
			return rule[T]{}, fmt.Errorf("rule %q: no parameter %q", text, p)
		}
	}
	return rule[T]{fn: def.fn, params: args}, nil
}

// isLiteral reports whether a rule's argument is a number: reduce(x,-1).
func isLiteral(s string) bool {
	_, ok := number(literal(s))
	return ok
}

// operand returns the argument that a rule's parameter names, or the number
// that stands in its place.
func (a Args) operand(p string) (Operand, bool) {
	if isLiteral(p) {
		return ConstOperand(literal(p)), true
	}
	return a.Get(p)
}
