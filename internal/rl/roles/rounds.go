package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # The rounds of an optimizer
//
// Zero, backward, clip, step: a mistake of a training loop is one in the order of these. Moments are
// the places of a program that do something to gradients, and Rounds are the orders in which a run comes
// to them. Two questions are asked of a moment and an optimizer: does it surely concern the
// optimizer's gradients (Concerns), and may it (MayConcern). Rules report on the first and are silent for the
// second: a call that is handed a network and was not followed may do anything to its gradients.

// Act is what a moment does to gradients.
type Act uint8

// The acts.
const (
	Computes  Act = iota + 1 // backward(): adds to gradients
	Zeroes                   // zero_grad()
	Steps                    // step() of an optimizer, or scaler.step(optimizer)
	Clips                    // clip_grad_norm_, clip_grad_value_
	Unscales                 // scaler.unscale_(optimizer)
	Schedules                // step() of a schedule of learning rates
	Builds                   // makes an optimizer
	Touches                  // may do anything: p.grad = ..., a call that is not known
	Looks                    // reads gradients
)

// Moment is a place that does something to gradients.
type Moment struct {
	Act Act
	At  query.Place
	// Call is the value of the call, nil where none is known.
	Call *infer.Val
	// Of is the optimizer that zeroes, steps, unscales, is built or scheduled; nil where it is a network, or not known.
	Of *Holder
	// Networks are those of a clip or of net.zero_grad(); none where not all are known.
	Networks []*Network
	// Loss is what Computes differentiates, and Scaled says that a GradScaler multiplied it.
	Loss   *infer.Val
	Scaled bool
	// Max is the bound of a clip: infinite where it only measures, 0 where it is not known.
	Max float64

	handed  []*infer.Val // what Touches was handed; none where it may be anything
	divisor *multiplier  // the number that Touches divides gradients by; nil for anything else
	stores  bool         // what Looks reads, or Touches writes, becomes a gradient, and nobody has stepped with it
}

// Rounds are the moments of a program and how they follow each other.
type Rounds struct {
	Moments []*Moment
	Orders  []Order

	m        *Model
	at       map[query.Place]*Moment
	in       map[query.Place][]int // the orders that a moment is of
	of       [][]*Moment           // the moments of each order
	followed map[query.Place]bool
	holders  map[holderKey]*Holder
	outside  answers[*Holder, outsiders]

	bystanders answers[*infer.ClassRef, bool]
	hooked     bool // functions of the program are handed the gradients of each backward, as K-FAC collects its statistics
}

// maxRoundEvents bounds the events of an order that is looked at: each may follow each other.
const maxRoundEvents = 256

// Rounds returns the rounds of the program; none where it takes no gradients with backward().
func (m *Model) Rounds() *Rounds { return m.rounds.get(m.findRounds) }

func (m *Model) findRounds() *Rounds {
	r := &Rounds{m: m, at: map[query.Place]*Moment{}, in: map[query.Place][]int{}, followed: map[query.Place]bool{}, holders: map[holderKey]*Holder{}}
	if len(m.g.Made("backward")) == 0 || len(m.Steps)+len(m.g.Made("zero_grad")) == 0 {
		return r
	}
	for f := range m.g.EachFrame {
		for site := range f.Sites {
			r.followed[query.Place{Frame: site.Caller, Node: site.Node}] = true
		}
	}
	for f := range m.g.EachFrame {
		within, called := isOptimizers(f), map[ast.Node]bool{}
		for call := range query.In[*ast.Call](f) {
			r.hooked = r.hooked || hooks[query.CalleeName(call)]
		}
		for _, n := range f.Nodes() {
			if within && !zeroesOrReads(n) { // what an optimizer does to step is its step
				continue
			}
			switch n := n.(type) {
			case *ast.Call:
				called[n.Fun] = true
				r.call(f, n)
			case *ast.Assign:
				r.copies(f, n)
				for _, t := range n.Targets {
					r.stores(f, t, n)
				}
			case *ast.AugAssign:
				r.stores(f, n.Target, n)
			case *ast.Delete:
				r.add(&Moment{Act: Touches, At: query.Place{Frame: f, Node: n}, stores: true}, holdsGrad(n))
			case *ast.Attribute:
				r.add(&Moment{Act: Looks, At: query.Place{Frame: f, Node: n}}, IsGrad(n.Attr) && !called[n]) // torch.autograd.grad is a function
			}
		}
	}
	for _, c := range m.GradClips() {
		if x := r.at[query.PlaceOf(c.Call)]; x != nil && x.Act == Clips {
			x.Networks, x.Max = c.Networks, c.Max
		}
	}
	for _, o := range m.Optimizers {
		r.add(&Moment{Act: Builds, At: query.PlaceOf(o.Val), Call: o.Val, Of: r.holderOf(o)}, true)
	}
	r.knowByUse()
	var places []query.Place
	for _, x := range r.Moments {
		places = append(places, x.At)
	}
	for order := range m.Orders(places) {
		if len(order.Events) > maxRoundEvents {
			continue
		}
		var of []*Moment
		for _, e := range order.Events {
			if in := r.in[e.Place]; len(in) == 0 || in[len(in)-1] != len(r.Orders) {
				r.in[e.Place] = append(in, len(r.Orders))
				of = append(of, r.at[e.Place])
			}
		}
		r.Orders, r.of = append(r.Orders, order), append(r.of, of)
	}
	return r
}

// knowByUse takes what a program calls both zero_grad() and step() on for an optimizer, whatever made it. An engine, which does
// more in its step, has a backward() as well.
func (r *Rounds) knowByUse() {
	zeroes, steps, engines := map[*Holder]bool{}, map[*Holder]bool{}, map[*Holder]bool{}
	for _, x := range r.Moments {
		switch {
		case x.Act == Zeroes && x.Of != nil:
			zeroes[x.Of] = true
		case x.Act == Steps && x.Of != nil && !x.Scaled:
			steps[x.Of] = true
		case x.Act == Computes:
			if call, ok := x.At.Node.(*ast.Call); ok && on(call) != nil {
				engines[r.holder(x.At.Frame, on(call))] = true
			}
		}
	}
	for h := range zeroes {
		h.Sure = h.Sure || steps[h] && !engines[h]
	}
}

// maxCallers bounds the calls that lead to a place.
const maxCallers = 8

// isOptimizers reports whether an evaluation is part of a method of an optimizer.
func isOptimizers(f *infer.Frame) bool {
	for range maxCallers {
		if f == nil || f.Func == nil {
			break
		}
		if c := classOf(f); c != nil && isOptimizerClass(c, maxBases) {
			return true
		}
		f = f.Caller
	}
	return false
}

func zeroesOrReads(n ast.Node) bool {
	if call, ok := n.(*ast.Call); ok {
		return query.CalleeName(call) == "zero_grad"
	}
	_, reads := n.(*ast.Attribute)
	return reads
}

func isOptimizerClass(c *infer.ClassRef, depth int) bool {
	return depth > 0 && (slices.ContainsFunc(c.LibBases, func(b string) bool { return strings.HasPrefix(b, "torch.optim.") }) ||
		slices.ContainsFunc(c.Bases, func(b *infer.ClassRef) bool { return isOptimizerClass(b, depth-1) }))
}

func (r *Rounds) add(x *Moment, is bool) {
	if !is || !x.At.Known() {
		return
	}
	if old := r.at[x.At]; old != nil {
		if old.Act == Looks && x.Act != Looks { // the read of an attribute that is also assigned
			*old = *x
		}
		return
	}
	r.at[x.At] = x
	r.Moments = append(r.Moments, x)
}

// IsGrad reports whether an attribute holds the gradient of a tensor.
func IsGrad(attr string) bool { return attr == "grad" || attr == "_grad" }

// namesGrad reports whether an expression is the name of the attribute that holds gradients.
func namesGrad(f *infer.Frame, e ast.Expr) bool {
	v := f.Val(e)
	if v == nil {
		return false
	}
	attr, ok := v.Const.(string)
	return ok && IsGrad(attr)
}

func holdsGrad(n ast.Node) bool {
	found := false
	ast.Walk(n, func(x ast.Node) bool {
		a, ok := x.(*ast.Attribute)
		found = found || ok && IsGrad(a.Attr)
		return !found
	})
	return found
}

// stores notes p.grad = x, also within a tuple of targets, and p.grad[:] = x.
func (r *Rounds) stores(f *infer.Frame, target ast.Expr, by ast.Stmt) {
	if part, ok := target.(*ast.Subscript); ok {
		target = part.X
	}
	if a, ok := target.(*ast.Attribute); ok && IsGrad(a.Attr) {
		r.add(&Moment{Act: Touches, At: query.Place{Frame: f, Node: a}, stores: true, divisor: divisorOf(f, by)}, true)
		return
	}
	if t, ok := target.(*ast.Tuple); ok {
		for _, e := range t.Elts {
			if a, ok := e.(*ast.Attribute); ok && IsGrad(a.Attr) {
				r.add(&Moment{Act: Touches, At: query.Place{Frame: f, Node: a}, stores: true}, true)
			}
		}
	}
}

// copies notes the read in p.grad = q.grad.
func (r *Rounds) copies(f *infer.Frame, n *ast.Assign) {
	from, reads := n.Value.(*ast.Attribute)
	to, stores := n.Targets[0].(*ast.Attribute)
	if reads && stores && IsGrad(from.Attr) && IsGrad(to.Attr) {
		r.add(&Moment{Act: Looks, At: query.Place{Frame: f, Node: from}, stores: true}, true)
	}
}

// changes are words in the names of functions that do something to gradients: names again, which here only
// make rules silent.
var changes = []string{"zero", "clear", "reset", "clean", "free", "flush", "empty", "share", "push", "copy", "set", "apply", "average", "sync", "reduce", "step", "update", "accum", "mean", "sum"}

func changesGrads(lower string) bool {
	return strings.Contains(lower, "grad") && lower != "set_grad_enabled" && slices.ContainsFunc(changes, func(w string) bool { return strings.Contains(lower, w) })
}

// leaves are methods of an optimizer that leave gradients as they are.
var leaves = query.Words("state_dict load_state_dict add_param_group param_groups __repr__ named_parameters parameters train eval")

// looks are functions that change nothing of what they are handed.
var looks = query.Words(`callable getattr hasattr id isinstance issubclass len print repr str type save dump deepcopy copy pprint vars dir
	summary watch parameters named_parameters vector_to_parameters parameters_to_vector modules state_dict forward super
	accumulate no_sync load_state_dict`)

// hooks are the methods that register a function for the gradients of a backward.
var hooks = query.Words("register_hook register_backward_hook register_full_backward_hook register_full_backward_pre_hook")

// call notes what a call does to gradients.
func (r *Rounds) call(f *infer.Frame, n *ast.Call) {
	name := query.CalleeName(n)
	at := query.Place{Frame: f, Node: n}
	v := f.Val(n)
	x := &Moment{At: at, Call: v}
	var on ast.Expr
	if method, ok := n.Fun.(*ast.Attribute); ok {
		on = method.X
	}
	isOptimizer := on != nil && f.Val(on).Is(domain.Optimizer)
	if r.followed[at] && !isOptimizer {
		return
	}
	switch {
	case on == nil && name == "setattr" && len(n.Args) == 3 && namesGrad(f, n.Args[1]):
		x.Act, x.stores = Touches, true
	case on == nil && !strings.HasPrefix(name, "clip_grad"):
	case name == "backward", name == "manual_backward":
		x.Act = Computes
		x.Loss, x.Scaled = r.lossOf(f, n, on)
	case name == "zero_grad":
		x.Act = Zeroes
		if net := r.m.Network(f.Val(on)); net != nil {
			x.Networks = []*Network{net}
		} else {
			x.Of = r.holder(f, on)
		}
	case name == "unscale_" && len(n.Args) == 1:
		x.Act, x.Of = Unscales, r.holder(f, n.Args[0])
	case name == "step":
		r.step(x, f, n, on)
	case strings.HasPrefix(name, "clip_grad"):
		x.Act = Clips
	case strings.HasSuffix(name, "_") && (holdsGrad(on) || slices.ContainsFunc(n.Args, func(e ast.Expr) bool { return holdsGrad(e) })):
		x.Act, x.stores, x.divisor = Touches, true, divisorOf(f, n)
	case isOptimizer && !leaves[name]:
		x.Act, x.handed = Touches, []*infer.Val{f.Val(on)}
	}
	if x.Act == 0 {
		r.other(x, f, n, name)
	}
	r.add(x, x.Act != 0)
}

// step notes a call of step(): of an optimizer, a schedule or anything that has one.
func (r *Rounds) step(x *Moment, f *infer.Frame, n *ast.Call, on ast.Expr) {
	recv := f.Val(on)
	if r.m.IsSchedule(recv) {
		x.Act = Schedules
		if len(n.Args)+len(n.Keywords) == 0 && query.Path(on) != "" { // else it is told which rate to set, or is one of several
			x.Of = r.scheduled(recv)
		}
		return
	}
	args := len(n.Args) + len(n.Keywords)
	switch {
	case args == 0 && !recv.Is(domain.Env):
		x.Act, x.Of = Steps, r.holder(f, on)
	case recv.Is(domain.Optimizer): // it is handed a closure
		x.Act, x.handed = Touches, []*infer.Val{recv}
	case len(n.Args) >= 1 && (f.Val(n.Args[0]).Is(domain.Optimizer) || x.Call != nil && strings.HasSuffix(x.Call.Op, "GradScaler.step")):
		x.Act, x.Of, x.Scaled = Steps, r.holder(f, n.Args[0]), true
	}
}

// lossOf is what a call of backward() differentiates, and whether it is scaled.
func (r *Rounds) lossOf(f *infer.Frame, n *ast.Call, on ast.Expr) (loss *infer.Val, scaled bool) {
	for _, b := range r.m.Backwards {
		if b.Call.Frame == f && b.Call.Node == n {
			loss = b.Loss
		}
	}
	if c, ok := on.(*ast.Call); ok && query.CalleeName(c) == "scale" && len(c.Args) == 1 && !r.followed[query.Place{Frame: f, Node: c}] {
		return f.Val(c.Args[0]), true
	}
	return loss, loss != nil && loss.IsOp("scale")
}

// other notes a call that was not followed and may do anything to the gradients of what it is handed.
func (r *Rounds) other(x *Moment, f *infer.Frame, n *ast.Call, name string) {
	lower := strings.ToLower(name)
	if v := x.Call; v == nil || !r.m.g.IsOpaque(v) || looks[name] || query.Loggers[name] {
		return
	}
	fn := calledFunc(x.Call)
	if changesGrads(lower) || fn != nil && mayChangeGrads(fn) {
		x.Act = Touches
		return
	}
	note := func(e ast.Expr) {
		v := f.Val(e)
		o, object := infer.RefOf(v).(*infer.Instance)
		if v.Is(domain.Optimizer|domain.Module) || object && !r.isBystander(o.Class) {
			x.Act, x.handed = Touches, append(x.handed, v)
		}
	}
	for _, e := range n.Args {
		note(e)
	}
	for _, k := range n.Keywords {
		note(k.Value)
	}
	// A method that the class of the object does not have is one of a base that is not known; one that it has, a bound kept
	// from being followed.
	if method, ok := n.Fun.(*ast.Attribute); ok {
		on := f.Val(method.X)
		switch o := infer.RefOf(on).(type) {
		case *infer.SuperRef:
			if name != "__init__" && o.Self != nil {
				x.Act, x.handed = Touches, append(x.handed, o.Self)
			}
		case *infer.Instance:
			if !on.Is(domain.Module) && mayTouch(o, name) && !r.isBystander(o.Class) {
				x.Act, x.handed = Touches, append(x.handed, on)
			}
		}
	}
}

// mayTouch reports whether a method of an object, by its name, may do something to gradients.
func mayTouch(o *infer.Instance, name string) bool {
	m := o.Class.Lookup(name)
	if m == nil {
		return o.Attrs[name] == nil
	}
	fn, ok := m.Ref.(*infer.FuncRef)
	return ok && mayChangeGrads(fn)
}

// Of returns the moment of an event; nil for the start and the end.
func (r *Rounds) Of(e *Event) *Moment { return r.at[e.Place] }

// Is reports whether an event is a moment of an act.
func (r *Rounds) Is(e *Event, a Act) bool {
	x := r.at[e.Place]
	return x != nil && x.Act == a
}

// Concerns reports whether a moment surely concerns all gradients of an optimizer.
func (r *Rounds) Concerns(x *Moment, h *Holder) bool {
	switch {
	case x == nil || h == nil:
		return false
	case x.Of != nil:
		return x.Of.Same(h)
	}
	o := h.Only()
	return o != nil && o.Complete && len(x.Networks) > 0 && !slices.ContainsFunc(o.Networks, func(n *Network) bool {
		return !slices.ContainsFunc(x.Networks, func(whole *Network) bool { return r.m.Holds(whole.Ref, n.Ref) })
	})
}

// MayConcern reports whether a moment may do something to gradients of an optimizer; of any for nil.
func (r *Rounds) MayConcern(x *Moment, h *Holder) bool {
	switch {
	case x == nil:
		return false
	case h == nil:
		return true
	case x.Of != nil:
		return !r.Apart(x.Of, h)
	case len(x.Networks) > 0:
		return r.mayHold(h, x.Networks)
	case x.handed == nil:
		return true
	}
	return slices.ContainsFunc(x.handed, func(v *infer.Val) bool {
		if n := r.m.Network(v); n != nil {
			return r.mayHold(h, []*Network{n})
		}
		for _, o := range r.m.Optimizers {
			if v.Ref != nil && v.Ref == o.Val.Ref {
				return !r.Apart(r.holderOf(o), h)
			}
		}
		o, ok := v.Ref.(*infer.Instance)
		return !ok || r.reaches(o, h)
	})
}

// MayTouch reports whether a moment of a call that was not followed may do something to the gradients of a network: it writes gradients,
// or is handed what holds the network, or is a part of it.
func (m *Model) MayTouch(x *Moment, n *Network) bool {
	return len(x.handed) == 0 || slices.ContainsFunc(x.handed, func(v *infer.Val) bool {
		return v.Ref == nil && v.Is(domain.Module) || v.Ref != nil && (m.Holds(v.Ref, n.Ref) || m.Holds(n.Ref, v.Ref))
	})
}

// reaches reports whether an object holds an optimizer, or one of the networks that it may hold. Of an optimizer that is
// not known it is asked whether it holds the object that keeps it.
func (r *Rounds) reaches(o *infer.Instance, h *Holder) bool {
	held := r.m.Holdings(o)
	if len(h.Optimizers) == 0 {
		keeper, ok := h.root.(*infer.Instance)
		return !ok || o == keeper || held[keeper]
	}
	return slices.ContainsFunc(h.Optimizers, func(x *Optimizer) bool {
		return held[x.Val.Ref] || slices.ContainsFunc(x.Networks, func(n *Network) bool { return held[n.Ref] })
	})
}

func (r *Rounds) mayHold(h *Holder, networks []*Network) bool {
	if len(h.Optimizers) == 0 {
		return true
	}
	return slices.ContainsFunc(h.Optimizers, func(o *Optimizer) bool { return !o.Complete || r.m.Overlap(o.Networks, networks) })
}

// IsForeign reports whether an order begins in a method of a class with a base that is not known, which may do
// anything before and after it.
func (r *Rounds) IsForeign(order int) bool {
	events := r.Orders[order].Events
	if len(events) == 0 {
		return false
	}
	root := events[0].Frame
	for range 64 {
		if root.Caller == nil {
			break
		}
		root = root.Caller
	}
	if root.Func == nil {
		return false
	}
	c := classOf(root)
	return c != nil && IsForeign(c)
}

// plainBases are bases of libraries that call no method by themselves.
var plainBases = query.Words("torch.nn.Module torch.nn.modules.module.Module builtins.object abc.ABC typing.Generic typing.Protocol typing.NamedTuple builtins.dict threading.Thread multiprocessing.Process torch.multiprocessing.Process torch.utils.data.Dataset torch.utils.data.dataset.Dataset enum.Enum")

// IsForeign reports whether a class derives from one that may call its methods, or that is unknown.
func IsForeign(c *infer.ClassRef) bool { return isForeign(c, maxBases) }

func isForeign(c *infer.ClassRef, depth int) bool {
	return depth == 0 || slices.ContainsFunc(c.LibBases, func(b string) bool { return !plainBases[b] }) ||
		slices.ContainsFunc(c.Bases, func(b *infer.ClassRef) bool { return isForeign(b, depth-1) })
}

// scheduled is the holder of the optimizer of a schedule; nil where it is not known.
func (r *Rounds) scheduled(schedule *infer.Val) *Holder {
	s, ok := infer.RefOf(schedule).(*infer.LibObject)
	if !ok { // one of several
		return nil
	}
	of := s.Args["optimizer"]
	if of == nil && len(s.Pos) > 0 {
		of = s.Pos[0]
	}
	if list, all := r.optimizersOf(of, 4); all && len(list) == 1 {
		return r.holderOf(list[0])
	}
	return nil
}

// IsSchedule reports whether a value is a schedule of learning rates, or one of several.
func (m *Model) IsSchedule(v *infer.Val) bool {
	if v == nil || v.Op != infer.OpPhi || v.Ref != nil {
		return isSchedule(v)
	}
	return slices.ContainsFunc(v.In, isSchedule) && !slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x == nil || !x.IsNone() && !isSchedule(x) })
}

func isSchedule(v *infer.Val) bool {
	o, ok := infer.RefOf(v).(*infer.LibObject)
	return ok && strings.HasPrefix(o.Name, "torch.optim.lr_scheduler.")
}
