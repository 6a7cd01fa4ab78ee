package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Schedules and what they count
//
// A schedule is laid out in some total, and something counts towards it: the step() calls of a schedule of learning rates, the variable
// of a loop, a number that the program adds to.

// Schedule is a total and what counts towards it.
type Schedule struct {
	query.Counter
	Total  query.Product
	At     query.Place // of the total
	Object bool        // a schedule of a library, which counts the calls of its step()
}

// Schedules are those of the program whose counter and total are known.
func (m *Model) Schedules() (out []Schedule) {
	for f, call := range query.Everywhere[*ast.Call](m.g) {
		out = m.scheduleOf(out, f, call)
	}
	for f, q := range m.eachArithmetic {
		if q.Op == ast.Div {
			out = m.quotient(out, f, q)
		}
	}
	return out
}

// eachArithmetic yields the arithmetic of the program, that of lambdas included.
func (m *Model) eachArithmetic(yield func(*infer.Frame, *ast.BinOp) bool) {
	for f, q := range query.Everywhere[*ast.BinOp](m.g) {
		if !yield(f, q) {
			return
		}
	}
	for f := range m.g.EachFrame {
		if f.Func == nil || f.Func.Lambda == nil {
			continue
		}
		on := true
		ast.Walk(f.Func.Lambda.Body, func(n ast.Node) bool {
			if q, ok := n.(*ast.BinOp); ok && on {
				on = yield(f, q)
			}
			return on && !infer.IsBody(n)
		})
		if !on {
			return
		}
	}
}

// totals are the parameters by which schedules of learning rates are told their total, and their positions.
var totals = map[string]struct {
	param string
	at    int
}{
	"CosineAnnealingLR": {"T_max", 1}, "LinearLR": {"total_iters", 3}, "PolynomialLR": {"total_iters", 1}, "OneCycleLR": {"total_steps", 2},
	"get_linear_schedule_with_warmup": {"num_training_steps", 2}, "get_cosine_schedule_with_warmup": {"num_training_steps", 2},
	"get_polynomial_decay_schedule_with_warmup": {"num_training_steps", 2}, "get_cosine_with_hard_restarts_schedule_with_warmup": {"num_training_steps", 2},
	"get_scheduler": {"num_training_steps", 3},
}

// scheduleOf reads a call that makes a schedule of learning rates.
func (m *Model) scheduleOf(out []Schedule, f *infer.Frame, call *ast.Call) []Schedule {
	name := query.CalleeName(call)
	spec, ok := totals[name]
	if !ok || m.isFollowed(f, call) {
		return out
	}
	total := query.Keyword(call, spec.param)
	if total == nil && spec.at < len(call.Args) && !query.HasOpenArgs(call) {
		total = call.Args[spec.at]
	}
	if total == nil {
		return out
	}
	return m.add(out, f, call, query.Place{Frame: f, Node: total})
}

func (m *Model) isFollowed(f *infer.Frame, call *ast.Call) bool {
	v := f.Val(call)
	return v != nil && v.Op == infer.OpCall && !v.Unfollowed()
}

func (m *Model) add(out []Schedule, f *infer.Frame, made *ast.Call, at query.Place) []Schedule {
	if m.isPrepared(f, made) {
		return out
	}
	c, ok := m.g.Stepped(query.Place{Frame: f, Node: made})
	total := m.g.Total(at.Frame, at.Node.(ast.Expr))
	if ok && total.Known && c.Reaches.Known {
		out = append(out, Schedule{Counter: c, Total: total, At: at, Object: true})
	}
	return out
}

// isPrepared reports whether the program hands a schedule to something that steps it in its own way, as accelerate does.
func (m *Model) isPrepared(f *infer.Frame, made *ast.Call) bool {
	for in, call := range query.Everywhere[*ast.Call](m.g) {
		if name := query.CalleeName(call); name != "prepare" && name != "initialize" {
			continue
		}
		for _, a := range ast.Given(call) {
			if v := in.Val(a); v != nil && v.Node == ast.Node(made) {
				return true
			}
		}
	}
	return false
}

// quotient reads count / total.
func (m *Model) quotient(out []Schedule, f *infer.Frame, q *ast.BinOp) []Schedule {
	total := m.g.Total(f, q.Y)
	at := query.Place{Frame: f, Node: q.Y}
	if !total.Known || len(total.Factors) == 0 {
		return out
	}
	if made, in := m.lambdaOf(f, q.X); made != nil {
		return m.add(out, in, made, at)
	}
	for _, num := range factors(q.X) {
		for _, c := range m.g.Counters(f, num) {
			if c.Reaches.Known {
				out = append(out, Schedule{Counter: c, Total: total, At: at})
			}
		}
	}
	return out
}

// factors are what a product multiplies.
func factors(e ast.Expr) (out []ast.Expr) {
	for {
		b, ok := e.(*ast.BinOp)
		if !ok || b.Op != ast.Mult {
			return append(out, e)
		}
		out, e = append(out, b.Y), b.X
	}
}

// lambdaOf is the call of LambdaLR that was handed the function whose first parameter a number is computed from.
func (m *Model) lambdaOf(f *infer.Frame, e ast.Expr) (*ast.Call, *infer.Frame) {
	if f.Func == nil {
		return nil, nil
	}
	var params []*ast.Param
	switch {
	case f.Func.Lambda != nil:
		params = f.Func.Lambda.Params.List
	case f.Func.Def != nil:
		params = f.Func.Def.Params.List
	}
	if f.Func.Self != nil && len(params) > 0 {
		params = params[1:]
	}
	if len(params) == 0 || !query.Reads(e, params[0].Name) {
		return nil, nil
	}
	for in, call := range query.Everywhere[*ast.Call](m.g) {
		if query.CalleeName(call) != "LambdaLR" {
			continue
		}
		fn := query.Keyword(call, "lr_lambda")
		if fn == nil && len(call.Args) > 1 {
			fn = call.Args[1]
		}
		if fn == nil {
			continue
		}
		if r, ok := infer.RefOf(in.Val(fn)).(*infer.FuncRef); ok && r.Def == f.Func.Def && r.Lambda == f.Func.Lambda {
			return call, in
		}
	}
	return nil, nil
}

// Beat is something that a run does again and again, as often as a total says.
type Beat struct {
	Count query.Product
	At    query.Place // a loop, the step of an optimizer, or what a counter should be multiplied with
}

// OffBeat is what a run does as often as the total of a schedule says, where the schedule's counter comes to something else: more or
// less by a factor that the program names, or that is the rounds of a loop.
func (m *Model) OffBeat(s Schedule) (of Beat, times query.Product, ok bool) {
	total := s.Total.Unit()
	if len(total.Factors) == 0 || s.Total.Share > 1 || // a literal stands for rounds that nobody counts
		!apart(s.Reaches.Unit().Over(total)) {
		return of, times, false
	}
	for _, b := range m.beats(s.Counter) {
		if off := s.Reaches.Over(b.Count); len(b.Count.Unit().Over(total).Factors) == 0 && apart(off) {
			return b, off, true
		}
	}
	return of, times, false
}

// apart reports whether a proportion is not one: it has factors, and they do not come to about one.
func apart(p query.Product) bool {
	n, known := p.Number()
	return len(p.Factors) > 0 && (!known || n >= 1.5 || n <= 1/1.5)
}

// beats are the steps of optimizers, and the rounds of the loops around them, around the steps of environments and around what moves
// a counter: those that stand around the counter, or within its loops. What a loop beside them does is another phase of the run. They
// are counted from the start of the run and from where the counter begins.
func (m *Model) beats(c query.Counter) (out []Beat) {
	nests := []query.Nest{c.Nest}
	for i, v := range slices.Concat(m.Steps, m.EnvSteps) {
		n, ok := m.g.NestOf(query.PlaceOf(v))
		if !ok {
			continue
		}
		nests = append(nests, n)
		for _, from := range starts(n, c) {
			if count := m.g.Often(n, from); count.Known && i < len(m.Steps) && isAbout(n, len(n.Loops), c) {
				out = append(out, Beat{count, query.PlaceOf(v)})
			}
		}
	}
	for _, n := range nests {
		for _, from := range starts(n, c) {
			count := query.One()
			for i, l := range n.Loops[from:] {
				count = count.Times(m.g.Product(l))
				if isAbout(n, from+i+1, c) {
					out = append(out, Beat{count, query.Place{Frame: l.Frame, Node: l.Stmt}})
				}
			}
		}
	}
	if below := c.Reaches.Parts(false); len(below) > 0 { // rounds of several environments, in a run of so many steps
		whole := c.Reaches
		whole.Factors = c.Reaches.Parts(true)
		out = append(out, Beat{whole, below[0].At})
	}
	return out
}

// isAbout reports whether the first loops of a nest stand around a counter, or all of its loops around them.
func isAbout(n query.Nest, loops int, c query.Counter) bool {
	shared := n.Shared(c.Nest)
	return shared >= loops || shared == len(c.Nest.Loops)
}

// starts are the loops from which a nest is counted: all, and those within which a counter begins.
func starts(n query.Nest, c query.Counter) []int {
	if from := min(n.Shared(c.Nest), c.From); from > 0 {
		return []int{0, from}
	}
	return []int{0}
}

// farther is how many times farther the total lies than a counter comes that begins anew in each round of a loop.
const farther = 5

// longRun is a total that no episode comes near.
const longRun = 1000

// NeverThere reports a schedule whose counter begins anew in each round of a loop about it, long before it comes near the total. A loop that
// makes the optimizer anew begins another run.
func (m *Model) NeverThere(s Schedule) bool {
	if s.Object || !s.Restarts() {
		return false
	}
	again, within := s.Nest.Loops[s.From-1], s.Nest.Loops[s.From:]
	if again.Frame != s.Advance.Frame || !slices.ContainsFunc(within, func(l query.Loop) bool { return m.Fresh(l) || m.Updates(l) }) ||
		slices.ContainsFunc(m.Optimizers, func(o *Optimizer) bool { return m.Inside(again, query.PlaceOf(o.Val)) }) {
		return false
	}
	total, known := s.Total.Number()
	if !known || s.Total.Rests() {
		return false
	}
	if reaches, known := s.Reaches.Number(); known {
		return total >= farther*reaches && !s.Reaches.Rests()
	}
	return total >= longRun && slices.ContainsFunc(within, m.Fresh)
}

// Caused is the place on a nest's way that is to blame for how often it is come by: the place itself, or the call of a helper in which
// nothing else is done.
func (m *Model) Caused(n query.Nest) query.Place {
	i := len(n.At) - 1
	for ; i > 0; i-- {
		at := n.At[i]
		if len(query.Around(at)) > 0 || slices.ContainsFunc(m.Steps, func(v *infer.Val) bool { return v.Frame == at.Frame }) {
			break
		}
	}
	return n.At[i]
}
