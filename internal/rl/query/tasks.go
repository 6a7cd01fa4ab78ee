package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// Surviving is the number of steps after which a task is cut off in which the agent fails or goes on, and nothing else ends an episode: to
// come to the limit is the best that there is. ok is false for other tasks.
func Surviving(id string) (limit int64, ok bool) {
	env := library.Load().Environment(id)
	if env == nil || env.Ends != library.EndsFailed {
		return 0, false
	}
	return env.Limit, true
}

// TasksIn are the names of tasks that a file writes.
func TasksIn(m *ast.Module) (out []string) {
	ast.WalkModule(m, func(n ast.Node) bool {
		if s, ok := n.(*ast.String); ok && isTaskName(s.Value) {
			out = append(out, s.Value)
		}
		return true
	})
	return out
}

// FramesOf are the least and the most frames that a step of a game lasts, by its id; ok is false for what is no game.
func FramesOf(id string) (frames [2]int64, ok bool) {
	env := library.Load().Environment(id)
	if env == nil || env.Frames[0] == 0 {
		return frames, false
	}
	return env.Frames, true
}

// BoundsOf are the bounds of the actions of a task, by its id; ok is false where they are not the same in all dimensions, or not known.
func BoundsOf(id string) (low, high float64, ok bool) {
	env := library.Load().Environment(id)
	if env == nil || len(env.High) != 1 {
		return 0, 0, false
	}
	return env.Low[0], env.High[0], true
}
