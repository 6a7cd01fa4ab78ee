package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Memory over episodes
//
// What a recurrent network remembers belongs to one episode. A loop that steps environments and goes on behind an episode's end
// has to begin the memory anew there, in one of many ways:
//
//	h = h * (1 - done);  h[done] = 0;  if done: h = net.initial();  net(obs, h, done)
//
// All of them write the memory, or make something of the flags that goes in beside it. So a loop in which neither happens hands the
// memory of one episode to the next. A network that takes the reward of its last action is another thing: in meta-learning its memory is what it
// learns a task by, over all episodes of a trial.

// Carried is a call of a recurrent network in a loop that hands its own memory back to it over episodes.
type Carried struct {
	Call query.Place
	// State is the memory as the program names it, Ends the place where the environment says that an episode is over.
	State string
	Ends  query.Place
}

// Carried returns the memories that no end of an episode begins anew.
func (m *Model) Carried() (out []Carried) {
	for f := range m.g.EachFrame {
		for as := range query.In[*ast.Assign](f) {
			call, ok := as.Value.(*ast.Call)
			if !ok || !m.isRecurrent(f, call) {
				continue
			}
			loops := query.Around(query.Place{Frame: f, Node: as})
			for _, state := range paths(as.Targets) {
				if len(loops) == 0 || !slices.ContainsFunc(ast.Given(call), func(e ast.Expr) bool { return query.Path(e) == state }) {
					continue
				}
				w := episodeLoop{m: m, f: f, l: loops[len(loops)-1], cell: as, state: state}
				if ends, ok := w.goesOn(); ok {
					out = append(out, Carried{Call: query.Place{Frame: f, Node: call}, State: state, Ends: ends})
				}
			}
		}
	}
	return out
}

// isRecurrent reports whether a call evaluates a network with a recurrent layer.
func (m *Model) isRecurrent(f *infer.Frame, call *ast.Call) bool {
	of := append([]ast.Expr{call.Fun}, call.Args...)
	if at, ok := call.Fun.(*ast.Attribute); ok {
		of = append(of, at.X)
	}
	return slices.ContainsFunc(of, func(e ast.Expr) bool {
		n := m.Network(f.Val(e))
		if n == nil {
			return false
		}
		for r := range m.LayersOf(n) {
			if o, ok := r.(*infer.LibObject); ok && recurrent[strings.TrimPrefix(o.Name, "torch.nn.")] {
				return true
			}
		}
		return false
	})
}

var recurrent = query.Words("GRU GRUCell LSTM LSTMCell RNN RNNCell")

// paths are the variables and attributes that targets bind.
func paths(targets []ast.Expr) (out []string) {
	for _, t := range targets {
		if tuple, ok := t.(*ast.Tuple); ok {
			out = append(out, paths(tuple.Elts)...)
		} else if p := query.Path(t); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// episodeLoop is a loop in which a recurrent network hands its state on.
type episodeLoop struct {
	m     *Model
	f     *infer.Frame
	l     query.Loop
	cell  *ast.Assign
	state string

	step    *ast.Assign     // of an environment, in the loop
	ends    map[string]bool // what is made of the flags that it returns
	rewards map[string]bool // what is made of the rewards
}

// goesOn reports whether the loop goes on behind the end of an episode, with the state as it was.
func (w *episodeLoop) goesOn() (ends query.Place, ok bool) {
	if !w.stepsEnv() || w.isLeft() || w.writesState() {
		return query.Place{}, false
	}
	for _, e := range ast.Given(w.cell.Value.(*ast.Call)) {
		if query.Path(e) != w.state && (w.tells(e) || readsOne(e, w.rewards)) {
			return query.Place{}, false
		}
	}
	if !w.startsOver() && !w.isHandedOn() {
		return query.Place{}, false
	}
	return query.Place{Frame: w.f, Node: w.step.Value}, true
}

// stepsEnv finds the step of an environment, `obs, reward, done = env.step(action)` in any of its forms, and all that the loop makes of its flags.
func (w *episodeLoop) stepsEnv() bool {
	w.ends, w.rewards = map[string]bool{}, map[string]bool{}
	ast.InspectStmts(w.l.Body(), func(st ast.Stmt) bool {
		as, ok := st.(*ast.Assign)
		if !ok || w.step != nil {
			return true
		}
		call, isCall := as.Value.(*ast.Call)
		names := as.Targets[0]
		tuple, isTuple := names.(*ast.Tuple)
		if isCall && isTuple && query.CalleeName(call) == "step" && len(call.Args) == 1 && len(tuple.Elts) >= 3 {
			w.step = as
			for _, p := range paths(tuple.Elts[2:min(len(tuple.Elts), 4)]) {
				w.ends[p] = true
			}
			for _, p := range paths(tuple.Elts[1:2]) {
				w.rewards[p] = true
			}
			if slices.Contains(paths(tuple.Elts[:2]), w.state) || w.ends[w.state] {
				w.step = nil
			}
		}
		return true
	})
	if w.step != nil {
		w.spread(w.ends)
		w.spread(w.rewards)
	}
	return w.step != nil && len(w.ends) > 0
}

// spread adds to some variables all that the loop makes of them, but by the steps of network and environment.
func (w *episodeLoop) spread(of map[string]bool) {
	for n := -1; n != len(of); {
		n = len(of)
		query.Targets(w.l.Body(), func(target ast.Expr, by ast.Stmt) {
			if as, ok := by.(*ast.Assign); ok && readsOne(as.Value, of) && as != w.cell && as != w.step {
				of[basePath(target)] = true
			}
		})
		w.each(func(call *ast.Call) {
			if at, ok := call.Fun.(*ast.Attribute); ok && at.Attr == "append" && slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return readsOne(e, of) }) {
				of[basePath(at.X)] = true
			}
		})
	}
}

// basePath is the path of what a target is an element of.
func basePath(e ast.Expr) string {
	for {
		sub, ok := e.(*ast.Subscript)
		if !ok {
			return query.Path(e)
		}
		e = sub.X
	}
}

func (w *episodeLoop) each(visit func(*ast.Call)) {
	ast.WalkStmts(w.l.Body(), func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			visit(call)
		}
		return true
	})
}

// tells reports whether an expression is made of the flags.
func (w *episodeLoop) tells(e ast.Expr) bool { return readsOne(e, w.ends) }

func readsOne(e ast.Expr, paths map[string]bool) bool {
	for p := range paths {
		if p != "" && query.Reads(e, p) {
			return true
		}
	}
	return false
}

// isLeft reports whether the end of an episode ends the loop.
func (w *episodeLoop) isLeft() bool {
	if loop, ok := w.l.Stmt.(*ast.While); ok && w.tells(loop.Cond) {
		return true
	}
	left := false
	ast.InspectStmts(w.l.Body(), func(st ast.Stmt) bool {
		if branch, ok := st.(*ast.If); ok && w.tells(branch.Cond) {
			ast.InspectStmts(slices.Concat(branch.Then, branch.Else), func(st ast.Stmt) bool {
				switch st.(type) {
				case *ast.Break, *ast.Return, *ast.Raise:
					left = true
				}
				return true
			})
		}
		return true
	})
	return left
}

// writesState reports whether the loop does something to the state that is not the network's own step, nor cuts it off from its
// graph. An attribute may be written by any method.
func (w *episodeLoop) writesState() bool {
	written := false
	parts := w.parts()
	query.Targets(w.l.Body(), func(target ast.Expr, by ast.Stmt) {
		as, ok := by.(*ast.Assign)
		written = written || by != ast.Stmt(w.cell) && basePath(target) == w.state && !(ok && detaches(as.Value))
		if _, rebound := target.(*ast.Name); !rebound || !ok {
			_, loop := by.(*ast.For)
			written = written || !loop && parts[basePath(target)]
		}
	})
	w.each(func(call *ast.Call) {
		if at, ok := call.Fun.(*ast.Attribute); ok && strings.HasSuffix(at.Attr, "_") && (basePath(at.X) == w.state || parts[basePath(at.X)]) {
			written = true
		}
		if given := ast.Given(call); call != w.cell.Value && slices.ContainsFunc(given, func(e ast.Expr) bool { return query.Reads(e, w.state) }) && slices.ContainsFunc(given, w.tells) {
			written = true
		}
	})
	i := strings.LastIndexByte(w.state, '.')
	if written || i < 0 {
		return written
	}
	for f := range w.m.g.EachFrame {
		if f.Func == nil || f.Func.Name() == "__init__" || f == w.f {
			continue
		}
		query.Targets(f.Body(), func(target ast.Expr, _ ast.Stmt) {
			written = written || strings.HasSuffix(basePath(target), w.state[i:])
		})
	}
	return written
}

// parts are the variables for the tensors of the state: h and c of `h, c = state`, h of `for h in state`.
func (w *episodeLoop) parts() map[string]bool {
	out := map[string]bool{}
	query.Targets(w.l.Body(), func(target ast.Expr, by ast.Stmt) {
		from := made(by)
		if from != nil && by != ast.Stmt(w.cell) && query.Path(from) == w.state && query.Path(target) != w.state {
			out[query.Path(target)] = true
		}
	})
	return out
}

// made is what a statement binds its targets to, or to the elements of.
func made(st ast.Stmt) ast.Expr {
	switch st := st.(type) {
	case *ast.Assign:
		return st.Value
	case *ast.For:
		return st.Iter
	}
	return nil
}

func detaches(e ast.Expr) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		found = found || ok && query.CalleeName(call) == "detach"
		return !found
	})
	return found
}

// startsOver reports whether the loop itself resets the environment at the end of an episode.
func (w *episodeLoop) startsOver() bool {
	found := false
	ast.InspectStmts(w.l.Body(), func(st ast.Stmt) bool {
		if branch, ok := st.(*ast.If); ok && w.tells(branch.Cond) {
			ast.WalkStmts(branch.Then, func(n ast.Node) bool {
				call, ok := n.(*ast.Call)
				found = found || ok && query.CalleeName(call) == "reset" && on(call) != nil && w.m.Network(w.f.Val(on(call))) == nil
				return !found
			})
		}
		return true
	})
	return found
}

// isHandedOn reports whether both the state and the observation come to the function from outside, and are returned or kept, and the flags
// are recorded: the environments of a rollout begin their episodes anew by themselves.
func (w *episodeLoop) isHandedOn() bool {
	tuple := w.step.Targets[0].(*ast.Tuple)
	obs := query.Path(tuple.Elts[0])
	recorded := false
	w.each(func(call *ast.Call) { recorded = recorded || slices.ContainsFunc(call.Args, w.tells) })
	return recorded && w.isGiven(w.state) && w.isGiven(obs)
}

// isGiven reports whether nothing but the loop binds a parameter of the function, which returns it.
func (w *episodeLoop) isGiven(path string) bool {
	if w.f.Func == nil || w.f.Func.Def == nil || !slices.ContainsFunc(w.f.Func.Def.Params.List, func(p *ast.Param) bool { return p.Name == path }) {
		return false
	}
	outside, returned := false, false
	query.Targets(w.f.Body(), func(target ast.Expr, by ast.Stmt) {
		as, ok := by.(*ast.Assign)
		outside = outside || query.Path(target) == path && !w.l.Stmt.Span().Covers(by.Span()) && !(ok && detaches(as.Value))
	})
	for r := range query.In[*ast.Return](w.f) {
		returned = returned || r.X != nil && query.Reads(r.X, path)
	}
	return returned && !outside
}
