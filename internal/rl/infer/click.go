package infer

import (
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # Options of click
//
// A decorator declares an option, and whoever calls the decorated function, most often with no argument at all, lets click fill its
// parameters: with what the command line says, else with the defaults.

// optionName is what such a decorator is an object of.
const optionName = "click.option"

// callOption makes the decorator of an option, which has it under the name of its parameter.
func callOption(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	name := optionParam(a.pos)
	if name == "" {
		return nil
	}
	option := in.opaque(f, s, n, OpConfig)
	switch d := a.get("default"); {
	case d != nil && !d.IsNone():
		option.Const, option.Q, option.In = d.Const, d.Q, []*Val{d}
	case a.get("is_flag") != nil:
		option.Const = false
	}
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other))
	v.Ref = &LibObject{Name: optionName, Attrs: map[string]*Val{name: option}, owner: in}
	return v
}

// optionParam is the parameter that an option fills: the name without dashes, else the first long one, else the first.
func optionParam(names []*Val) string {
	name := ""
	for _, v := range names {
		text, ok := v.Str()
		switch {
		case !ok:
		case !strings.HasPrefix(text, "-"):
			name = text
		case name == "" || strings.HasPrefix(text, "--") && strings.HasPrefix(name, "-") && !strings.HasPrefix(name, "--"):
			name, _, _ = strings.Cut(text, "/") // --shuffle/--no-shuffle
		}
	}
	return strings.ToLower(optionKey(name))
}

// optionKey is the name of what an option fills: of --learning-rate it is learning_rate.
func optionKey(option string) string {
	return strings.ReplaceAll(strings.TrimLeft(option, "-"), "-", "_")
}

// takeOptions notes on a function what the decorator of an option declares.
func (fn *FuncRef) takeOptions(in *interp, decorator *LibObject) {
	if decorator.Name != optionName || fn.owner != in {
		return
	}
	if fn.options == nil {
		fn.options = map[string]*Val{}
	}
	maps.Copy(fn.options, decorator.Attrs)
}

// withOptions is a dict that ** takes, with the options that no parameter takes.
func (fn *FuncRef) withOptions(d *DictRef) *DictRef {
	for _, name := range slices.Sorted(maps.Keys(fn.options)) {
		taken := slices.ContainsFunc(fn.Def.Params.List, func(p *ast.Param) bool { return p.Name == name })
		if !taken && d.Fields[name] == nil {
			d.set(name, fn.options[name])
		}
	}
	return d
}
