package query

import (
	"strings"

	"github.com/rlvet/rlvet/internal/rl/infer"
)

// endless are the tasks of gym and gymnasium that end by a limit of time alone: what looks like a terminal state is none.
var endless = Words(`Pendulum HalfCheetah Swimmer Reacher Pusher Thrower Striker FetchReach FetchPush FetchSlide FetchPickAndPlace HandReach
	HandManipulateBlock HandManipulateEgg HandManipulatePen HalfCheetahBulletEnv ReacherBulletEnv`)

// Endless reports whether the program makes environments that never come to a terminal state, and no other: it names the
// task, which is how gym finds it.
func (g *Graph) Endless() bool {
	found := false
	for _, v := range g.Made("make", "make_vec", "GymEnv") {
		for _, in := range v.In {
			id, ok := constText(in)
			if !ok {
				continue
			}
			task, _, _ := strings.Cut(id[strings.LastIndexByte(id, '/')+1:], "-v")
			if !endless[task] {
				return false
			}
			found = true
		}
	}
	return found
}

// constText is the text that a program writes where it makes an environment: the default of a setting says little.
func constText(v *infer.Val) (string, bool) {
	if v == nil || v.Op != infer.OpConst {
		return "", false
	}
	return v.Str()
}
