package library

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// row compiles one row; every name in it is checked.
func (l *loader) row(name string, src rowSource) (*Func, error) {
	if err := l.inherit(&src, 0); err != nil {
		return nil, err
	}
	f := &Func{
		Name: name, As: cmp.Or(src.As, name), Params: src.Params, Guards: src.Guards, From: src.From,
		Leaf:    strings.HasPrefix(src.Grad, "leaf(") || strings.HasPrefix(src.Grad, "trained("),
		flagged: src.Flag, evidence: domain.FromTable,
	}
	if src.Op != "" {
		f.operands = min(len(src.Params), 2)
	}
	if len(src.Params) > 32 {
		return nil, fmt.Errorf("%d parameters, at most 32 are followed", len(src.Params))
	}
	if src.Flag != "" && !slices.Contains(src.Params, src.Flag) {
		return nil, fmt.Errorf("flag %q is no parameter", src.Flag)
	}
	if src.Evidence == "name-only" {
		f.evidence = domain.NameOnly
	} else if src.Evidence != "" {
		return nil, fmt.Errorf("unknown evidence %q of a row", src.Evidence)
	}
	if src.Returns != "" {
		l.pending = append(l.pending, pendingReturn{f, src.Returns})
	}
	var err error
	if f.results, err = outcomes(src.Result, src.outcomeDefaults, src.Params); err != nil {
		return nil, err
	}
	if err := f.addElements(src); err != nil {
		return nil, err
	}
	for _, c := range src.Contract {
		if err := f.addContract(c); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// inherit fills what src does not state from the row it is like.
func (l *loader) inherit(src *rowSource, depth int) error {
	if src.Like == "" {
		return nil
	}
	from, ok := l.sources[src.Like]
	if !ok || depth > 3 {
		return fmt.Errorf("like names no row: %q", src.Like)
	}
	if err := l.inherit(&from, depth+1); err != nil {
		return err
	}
	if src.Params == nil {
		src.Params = from.Params
	}
	if src.Result == nil && src.Kind == "" {
		src.Result, src.Kind = from.Result, from.Kind
	}
	if src.Elements == nil {
		src.Elements, src.TupleIf = from.Elements, from.TupleIf
	}
	if src.Contract == nil {
		src.Contract = from.Contract
	}
	src.Guards = src.Guards || from.Guards
	if src.Flag == "" {
		src.Flag = from.Flag
	}
	if src.Returns == "" {
		src.Returns = from.Returns
	}
	d := from.outcomeDefaults
	d.Kind = ""
	src.outcomeDefaults = src.outcomeDefaults.over(d)
	return nil
}

// over fills what o does not state from the defaults d.
func (o outcomeDefaults) over(d outcomeDefaults) outcomeDefaults {
	pick := func(own, other string) string {
		if own != "" {
			return own
		}
		return other
	}
	if o.Range == nil {
		o.Range, o.NonZero = d.Range, o.NonZero || d.NonZero
	}
	o.Kind = pick(o.Kind, d.Kind)
	o.Shape = pick(o.Shape, d.Shape)
	o.Grad = pick(o.Grad, d.Grad)
	o.Reduced = pick(o.Reduced, d.Reduced)
	o.Whose = pick(o.Whose, d.Whose)
	return o
}

// outcomes compiles guarded results and ends them with one that always
// applies.
func outcomes(list []outcomeSource, defaults outcomeDefaults, params []string) ([]outcome, error) {
	var out []outcome
	for _, src := range list {
		o, err := compile(src, defaults, params)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
		if len(o.when) == 0 {
			return out, nil
		}
	}
	last, err := compile(outcomeSource{}, defaults, params)
	return append(out, last), err
}

// compile compiles one guarded result.
func compile(src outcomeSource, defaults outcomeDefaults, params []string) (o outcome, err error) {
	d := src.outcomeDefaults.over(defaults)
	if o.when, err = parseCondition(src.If, params); err != nil {
		return o, err
	}
	if o.kind, o.kindOf, err = parseResultKind(d.Kind, params); err != nil {
		return o, err
	}
	if o.rng, err = parseRange(d.Range, params); err != nil {
		return o, err
	}
	o.nonZero = d.NonZero
	if o.evidence, err = indices(src.EvidenceOf, params); err != nil {
		return o, fmt.Errorf("evidence: %w", err)
	}
	if d.Shape == "" {
		d.Shape = "unknown"
	}
	o.shapeAs = d.Shape
	if o.shape, err = parseRule(d.Shape, shapeRules, params); err != nil {
		return o, fmt.Errorf("shape: %w", err)
	}
	return o, o.flows(d, params)
}

// flows compiles the rules for gradient, reduction and owner. Where a row
// does not state them, they follow the first parameter.
func (o *outcome) flows(d outcomeDefaults, params []string) (err error) {
	grad, whose, reduced := "unknown", "unknown", "unknown"
	if len(params) > 0 && !strings.HasPrefix(params[0], "*") {
		grad, whose = "flow("+params[0]+")", "same("+params[0]+")"
	}
	if p, ok := strings.CutPrefix(d.Shape, "same("); ok {
		reduced = "same(" + p
	}
	d = d.over(outcomeDefaults{Grad: grad, Whose: whose, Reduced: reduced})
	if o.grad, err = parseRule(d.Grad, gradRules, params); err != nil {
		return fmt.Errorf("grad: %w", err)
	}
	if o.whose, err = parseRule(d.Whose, whoseRules, params); err != nil {
		return fmt.Errorf("whose: %w", err)
	}
	if o.reduced, err = parseRule(d.Reduced, reducedRules, params); err != nil {
		return fmt.Errorf("reduced: %w", err)
	}
	return nil
}

// parseResultKind reads a kind, "" for unknown, or "=x|y" for the kinds of
// arguments.
func parseResultKind(text string, params []string) (domain.Kind, []int, error) {
	if from, ok := strings.CutPrefix(text, "="); ok {
		of, err := indices(strings.Split(from, "|"), params)
		if err != nil {
			return 0, nil, fmt.Errorf("kind %q: %w", text, err)
		}
		return 0, of, nil
	}
	if text == "" {
		return domain.UnknownKind, nil, nil
	}
	k, err := kindSet(strings.Split(text, "|"))
	return k, nil, err
}

// indices finds parameters by their names.
func indices(names, params []string) ([]int, error) {
	var out []int
	for _, n := range names {
		i := slices.Index(params, n)
		if i < 0 {
			return nil, fmt.Errorf("no parameter %q", n)
		}
		out = append(out, i)
	}
	return out, nil
}

// kindSet reads a list of kinds.
func kindSet(names []string) (domain.Kind, error) {
	var k domain.Kind
	for _, n := range names {
		one, ok := domain.ParseKind(n)
		if !ok {
			return 0, fmt.Errorf("unknown kind %q", n)
		}
		k |= one
	}
	return k, nil
}

// parseRange reads [lo, hi] or a range rule.
func parseRange(text any, params []string) (rule[domain.Range], error) {
	switch r := text.(type) {
	case nil:
		return parseRule("any", rangeRules, params)
	case string:
		out, err := parseRule(r, rangeRules, params)
		if err != nil {
			return out, fmt.Errorf("range: %w", err)
		}
		return out, nil
	case []any:
		if len(r) == 2 {
			lo, ok := boundOf(r[0])
			hi, ok2 := boundOf(r[1])
			if ok && ok2 && lo <= hi {
				return rule[domain.Range]{fn: fixed(domain.Between(lo, hi)).fn}, nil
			}
		}
	}
	return rule[domain.Range]{}, fmt.Errorf("range %v: want a rule, or [lo, hi] out of -inf, -1, 0, 1, inf", text)
}

// boundOf reads an end of a range.
func boundOf(v any) (domain.Bound, bool) {
	switch v {
	case int64(-1):
		return domain.NegOne, true
	case int64(0):
		return domain.Zero, true
	case int64(1):
		return domain.One, true
	case "inf":
		return domain.PosInf, true
	case "-inf":
		return domain.NegInf, true
	}
	return 0, false
}

// addElements compiles the tuple that f returns, if it returns one.
func (f *Func) addElements(src rowSource) (err error) {
	for _, e := range src.Elements {
		own := e.outcomeDefaults.over(src.outcomeDefaults)
		list, err := outcomes(e.Result, own, src.Params)
		if err != nil {
			return fmt.Errorf("element %q: %w", e.Name, err)
		}
		f.elements = append(f.elements, element{name: e.Name, results: list})
	}
	f.elemsIf, err = parseCondition(src.TupleIf, src.Params)
	return err
}

// addContract compiles one contract.
func (f *Func) addContract(src contractSource) error {
	c := Contract{Arg: src.Arg, Rule: src.Rule}
	if !slices.Contains(f.Params, src.Arg) {
		return fmt.Errorf("contract: no parameter %q", src.Arg)
	}
	if src.Rule == "" || len(src.Rejects) == 0 {
		return fmt.Errorf("contract on %q: want rejects and rule", src.Arg)
	}
	var err error
	if c.Rejects, err = kindSet(src.Rejects); err != nil {
		return err
	}
	if c.Accepts, err = kindSet(src.Accepts); err != nil {
		return err
	}
	if c.Accepts&c.Rejects != 0 {
		return fmt.Errorf("contract on %q accepts and rejects %s", src.Arg, c.Accepts&c.Rejects)
	}
	if c.If, err = parseCondition(src.If, f.Params); err != nil {
		return err
	}
	if c.Unless, err = parseCondition(src.Unless, f.Params); err != nil {
		return err
	}
	f.Contracts = append(f.Contracts, c)
	return nil
}
