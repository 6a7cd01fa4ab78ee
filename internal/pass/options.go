package pass

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/runconf"
)

// setting is an argument. Where its value is the default of an option, as programs declare them for their command line,
// it is known, but a run may have another.
func (c *callReader) setting(key string, v *infer.Val, at runconf.Span) runconf.Setting {
	s := runconf.Setting{Key: key, Value: c.value(v), At: at}
	if s.Value.Kind == runconf.Unknown || v == nil || v.Op != infer.OpConfig {
		return s
	}
	option := optionOf(v)
	s.Default = nameOfOption(option.Node)
	if option.Frame != nil && option.Frame.Module == c.calls[c.order[0]].Module && option.Node != nil {
		s.From = spanOf(option.Node)
	}
	return s
}

// optionOf is the option that a value was computed of.
func optionOf(v *infer.Val) *infer.Val {
	for range 4 {
		for _, in := range v.In {
			if in != nil && in.Op == infer.OpConfig {
				v = in
				break
			}
		}
	}
	return v
}

// nameOfOption is what people call an option: --beta of add_argument, beta of a field or a parameter.
func nameOfOption(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Call:
		name := ""
		for _, arg := range n.Args {
			if text, ok := arg.(*ast.String); ok && (name == "" || strings.HasPrefix(text.Value, "--")) {
				name = text.Value
			}
		}
		if name != "" {
			return name
		}
	case *ast.AnnAssign:
		if name, ok := n.Target.(*ast.Name); ok {
			return name.Ident
		}
	case *ast.Param:
		return n.Name
	}
	return "an option"
}
