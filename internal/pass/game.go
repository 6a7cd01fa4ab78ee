package pass

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Game is a game that a program makes by its id, as the id alone says.
type Game struct {
	ID     string
	Frames [2]int64 // the least and the most frames that a step lasts
	Place  query.Place
}

// maxWrappers bounds the wrappers and helpers that an environment goes through.
const maxWrappers = 16

// Game finds the game that an environment is, through the wrappers around it. ok is false where it is not known, or where the program says
// itself how many frames a step lasts.
func (p *Pass) Game(env *infer.Val) (game Game, ok bool) { return gameOf(env, maxWrappers) }

func gameOf(v *infer.Val, depth int) (game Game, ok bool) {
	if v == nil || depth == 0 {
		return Game{}, false
	}
	if v.Op == infer.OpPhi {
		for _, in := range v.In {
			if in == nil || in == v {
				continue
			}
			x, known := gameOf(in, depth-1)
			if !known || ok && x.ID != game.ID {
				return Game{}, false
			}
			game, ok = x, true
		}
		return game, ok
	}
	if x := infer.Through(v); x != nil {
		return gameOf(x, depth-1)
	}
	call, isCall := v.Node.(*ast.Call)
	if !isCall || v.Frame == nil || len(call.Args) == 0 {
		return Game{}, false
	}
	if v.IsOp("gymnasium.make", "gym.make") {
		id, isText := textOrDefault(v.Frame, call.Args[0])
		frames, isGame := query.FramesOf(id)
		if !isText || !isGame || query.HasOpenArgs(call) || query.Keyword(call, "frameskip") != nil {
			return Game{}, false
		}
		return Game{id, frames, query.Place{Frame: v.Frame, Node: call}}, true
	}
	return gameOf(v.Frame.Val(call.Args[0]), depth-1) // what a wrapper is given
}

// textOrDefault is the text that an expression is, or the default of the parameter that it is where nobody is seen to call the function.
func textOrDefault(f *infer.Frame, e ast.Expr) (string, bool) {
	v := f.Val(e)
	if text, ok := v.Str(); ok {
		return text, true
	}
	name, isName := e.(*ast.Name)
	if !isName || v == nil || v.Op != infer.OpParam || f.Func == nil || f.Func.Def == nil {
		return "", false
	}
	for _, q := range f.Func.Def.Params.List {
		if text, ok := q.Default.(*ast.String); ok && q.Name == name.Ident {
			return text.Value, true
		}
	}
	return "", false
}

// Bounds are those of the actions of an environment that the program makes by its id and does not wrap, the same in all dimensions. ok is
// false for others, and where nothing is known.
func (p *Pass) Bounds(env *infer.Val) (id string, low, high float64, made query.Place, ok bool) {
	v := infer.Strip(env)
	if v == nil || !v.IsOp("gymnasium.make", "gym.make") || v.Frame == nil {
		return "", 0, 0, made, false
	}
	call, isCall := v.Node.(*ast.Call)
	if !isCall || len(call.Args) == 0 {
		return "", 0, 0, made, false
	}
	if id, ok = textOrDefault(v.Frame, call.Args[0]); !ok {
		return "", 0, 0, made, false
	}
	low, high, ok = query.BoundsOf(id)
	return id, low, high, query.Place{Frame: v.Frame, Node: call}, ok
}
