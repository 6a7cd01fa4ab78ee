package query

import (
	"cmp"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// What rules about the use of Stable-Baselines3 ask. The names are those of its classes.

var (
	algorithms = Words(`A2C PPO DQN SAC TD3 DDPG TRPO TQC QRDQN ARS RecurrentPPO MaskablePPO CrossQ`)
	offPolicy  = Words(`DQN SAC TD3 DDPG TQC QRDQN CrossQ`)
	gaussian   = Words(`A2C PPO TRPO RecurrentPPO`)
)

// Algorithm is the class of a model of Stable-Baselines3, as "PPO", that was made or loaded; "" is for
// anything else, and where a value may be one of two.
func Algorithm(v *infer.Val) string { return algorithm(v, 4) }

func algorithm(v *infer.Val, room int) string {
	if v = infer.Strip(v); v == nil || room == 0 {
		return ""
	}
	if o, ok := v.Ref.(*infer.LibObject); ok {
		return algorithmNamed(o.Name)
	}
	if name, ok := strings.CutPrefix(v.Op, infer.OpCall+"."); ok {
		if class, ok := strings.CutSuffix(name, ".load"); ok {
			return algorithmNamed(class)
		}
	}
	if v.Op == infer.OpPhi {
		one := ""
		for _, x := range v.In {
			name := algorithm(x, room-1)
			if name != "" && one != "" && name != one {
				return ""
			}
			one = cmp.Or(one, name)
		}
		return one
	}
	if strings.HasSuffix(v.Op, ".learn") && len(v.In) > 0 { // which returns the model
		return algorithm(v.In[0], room-1)
	}
	return ""
}

// algorithmNamed is the class of a qualified name.
func algorithmNamed(name string) string {
	if !strings.HasPrefix(name, "stable_baselines3.") && !strings.HasPrefix(name, "sb3_contrib.") {
		return ""
	}
	if base := infer.BaseOp(name); algorithms[base] {
		return base
	}
	return ""
}

// AlgorithmClass is the class of Stable-Baselines3 that v refers to, or "".
func AlgorithmClass(v *infer.Val) string {
	if r, ok := infer.RefOf(v).(*infer.LibRef); ok {
		return algorithmNamed(r.Name)
	}
	return ""
}

// IsOffPolicy and IsGaussian say what a class of Stable-Baselines3 learns from, and whether it samples actions from a Gaussian that knows
// nothing of the bounds.
func IsOffPolicy(algorithm string) bool { return offPolicy[algorithm] }
func IsGaussian(algorithm string) bool  { return gaussian[algorithm] }

// ModelEnv is the environment that a model of Stable-Baselines3 was made with, or nil.
func ModelEnv(v *infer.Val) *infer.Val {
	o, ok := infer.RefOf(v).(*infer.LibObject)
	switch {
	case !ok || algorithmNamed(o.Name) == "":
		return nil
	case o.Args["env"] == nil && len(o.Pos) > 1:
		return o.Pos[1]
	}
	return o.Args["env"]
}

// EvaluatedEnv is the environment in which a call of Stable-Baselines3 measures a policy, or nil.
func EvaluatedEnv(f *infer.Frame, call *ast.Call) ast.Expr {
	symbol := CalledSymbol(f, call)
	name, i := "env", 1
	switch {
	case !strings.HasPrefix(symbol, "stable_baselines3.") && !strings.HasPrefix(symbol, "sb3_contrib."):
		return nil
	case infer.BaseOp(symbol) == "EvalCallback" || infer.BaseOp(symbol) == "MaskableEvalCallback":
		name, i = "eval_env", 0
	case infer.BaseOp(symbol) != "evaluate_policy":
		return nil
	}
	if i < len(call.Args) {
		return call.Args[i]
	}
	return Keyword(call, name)
}

// Calls are the calls in a module, wherever they stand, of functions and methods of these names.
func Calls(m *ast.Module, names ...string) (out []*ast.Call) {
	ast.WalkStmts(m.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			for _, name := range names {
				if CalleeName(call) == name {
					out = append(out, call)
				}
			}
		}
		return true
	})
	return out
}

// Keyword is what a call passes by a name, or nil.
func Keyword(call *ast.Call, name string) ast.Expr {
	for _, k := range call.Keywords {
		if k.Name == name {
			return k.Value
		}
	}
	return nil
}

// HasOpenArgs reports whether a call passes *args or **kwargs.
func HasOpenArgs(call *ast.Call) bool {
	for _, k := range call.Keywords {
		if k.Name == "" {
			return true
		}
	}
	for _, x := range call.Args {
		if _, ok := x.(*ast.Starred); ok {
			return true
		}
	}
	return false
}

// AssignsAttr reports whether a module assigns to an attribute of one of these names, of whatever object, or sets it by setattr or set_attr.
func AssignsAttr(m *ast.Module, names map[string]bool) bool {
	found := false
	ast.WalkStmts(m.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			for _, t := range n.Targets {
				leaves(t, func(x ast.Expr) {
					at, ok := x.(*ast.Attribute)
					found = found || ok && names[at.Attr]
				})
			}
		case *ast.Call:
			if name := CalleeName(n); name == "setattr" || name == "set_attr" {
				for _, a := range n.Args {
					s, ok := a.(*ast.String)
					found = found || ok && names[s.Value]
				}
			}
		}
		return !found
	})
	return found
}

// WrongMark returns a mark in a text that opens the turns of another chat template than that of a tokenizer, which was named or which the
// model brings along, and the mark that its own has; "" where nothing is known to be wrong.
func WrongMark(template, model, text string) (wrong, right string) {
	table := library.Load()
	own := table.ChatTemplate(template)
	if template == "" {
		own = table.ChatTemplateOf(model)
	}
	if own == nil {
		return "", ""
	}
	return table.OtherMark(own, text), own.Marks[0]
}
