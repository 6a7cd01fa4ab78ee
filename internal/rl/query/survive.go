package query

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// surviving are the tasks of gym and gymnasium in which the agent fails or goes on, and nothing else ends an episode but the limit of time: to come
// to it is the best that there is. Each with the steps that the limit allows.
var surviving = map[string]int64{
	"CartPole-v0": 200, "CartPole-v1": 500,
	"InvertedPendulum": 1000, "InvertedDoublePendulum": 1000, "Hopper": 1000, "Walker2d": 1000, "Ant": 1000, "Humanoid": 1000,
	"HopperBulletEnv": 1000, "Walker2DBulletEnv": 1000, "AntBulletEnv": 1000, "HumanoidBulletEnv": 1000, "InvertedPendulumBulletEnv": 1000,
}

// Surviving is the number of steps after which a task is cut off in which to last so long is the best that there is; ok is false for others.
func Surviving(task string) (limit int64, ok bool) {
	task = task[strings.LastIndexAny(task, "/:")+1:]
	if limit, ok = surviving[task]; ok {
		return limit, true
	}
	limit, ok = surviving[taskOf(task)]
	return limit, ok
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
