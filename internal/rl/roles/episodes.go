package roles

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// maxWrappers bounds the wrappers around one environment.
const maxWrappers = 16

// EndsOnce reports whether an environment stays at the end of an episode until somebody resets it: a single one that a
// library makes, in wrappers of which none resets, or one of the program whose step does not.
func (m *Model) EndsOnce(env query.Seen) bool {
	known := false
	for root := range env.EachRoot {
		if known = m.endsOnce(root, maxWrappers); !known {
			return false
		}
	}
	return known
}

func (m *Model) endsOnce(env query.Seen, depth int) bool {
	env = env.Strip()
	switch {
	case !env.Known() || depth == 0:
		return false
	case env.Op == "gymnasium.make" || env.Op == "gym.make":
		return !query.HasKeyword(env.Val, "autoreset") && !query.HasKeyword(env.Val, "num_envs") && !hasStarredKeywords(env.Val)
	}
	if in, ok := env.Ref.(*infer.Instance); ok && in.Class != nil {
		return m.classEndsOnce(env, in.Class, depth)
	}
	if o, ok := env.Ref.(*infer.LibObject); ok && wrapsOne(o.Name) && len(o.Pos) > 0 {
		return m.endsOnce(env.Of(o.Pos[0]), depth-1)
	}
	if wrapsOne(env.Op) && len(env.In) > 0 {
		for i := range env.In {
			if x := env.Input(i); x.Is(domain.Env) {
				return m.endsOnce(x, depth-1)
			}
		}
	}
	return false
}

// wrapsOne reports whether a class of the libraries wraps a single environment and does not reset it.
func wrapsOne(name string) bool {
	wraps := strings.HasPrefix(name, "gymnasium.wrappers.") || strings.HasPrefix(name, "gym.wrappers.")
	return wraps && !strings.Contains(strings.ToLower(name), "reset") && !strings.Contains(name, ".vector.")
}

// classEndsOnce is EndsOnce for an object of a class of the program, with the environment that it wraps, if any.
func (m *Model) classEndsOnce(env query.Seen, c *infer.ClassRef, depth int) bool {
	if v := c.Lookup("step"); v != nil {
		fn, ok := v.Ref.(*infer.FuncRef)
		if !ok || fn.Def == nil || namesReset(fn.Def) || hasWorkerThatResets(c) {
			return false
		}
	} else if !DerivesEnv(c) {
		return false
	}
	if c.Lookup("reset") == nil && !DerivesEnv(c) || len(c.LibBases) > 0 && !DerivesEnv(c) {
		return false
	}
	for _, x := range env.In {
		if x.Is(domain.Env) && !m.endsOnce(env.Of(x), depth-1) {
			return false
		}
	}
	return true
}

// hasWorkerThatResets reports whether a class names a function that mentions a reset: a process that steps for it, and begins the next
// episode by itself.
func hasWorkerThatResets(c *infer.ClassRef) bool {
	if c.Def == nil || c.Module == nil {
		return false
	}
	found := false
	ast.WalkStmts(c.Def.Body, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && !found {
			if v := c.Module.Global(x.Ident); v != nil {
				fn, ok := v.Ref.(*infer.FuncRef)
				found = ok && fn.Def != nil && fn.Class == nil && namesReset(fn.Def)
			}
		}
		return !found
	})
	return found
}

// namesReset reports whether a body mentions anything that may reset: a method of its own among them.
func namesReset(def *ast.FunctionDef) bool {
	found := false
	ast.WalkStmts(def.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			found = found || strings.Contains(strings.ToLower(n.Attr), "reset")
		case *ast.Name:
			found = found || strings.Contains(strings.ToLower(n.Ident), "reset")
		}
		return !found
	})
	return found
}

// hasStarredKeywords reports whether the call that computed v passes keywords that its text does not show.
func hasStarredKeywords(v *infer.Val) bool {
	call, ok := v.Node.(*ast.Call)
	if !ok {
		return true
	}
	for _, k := range call.Keywords {
		if k.Name == "" {
			return true
		}
	}
	return false
}
