package infer

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # Models of unknown classes
//
// What a model of which only the object is known yields has an unknown gradient while the
// program is evaluated: whether it is trained may be said later, or elsewhere. So in the
// end it is asked which of them are in training, and what they yield where gradients are
// on, and what was made of that, is attached after all. A model is in training if an
// optimizer, or the clipping of gradients, takes its parameters; if it is what a trainer of
// a library hands to the hook that computes the loss; or if backward() is called on a loss
// that nothing else could give a gradient to. One that the program freezes, or that is
// called the reference or the target, is not.

// objectKey tells objects apart: by what they are, where that is known, else by the path
// from the object or argument that they were read from.
type objectKey struct {
	of   any // a Ref, a *Val or an objectKey
	name string
}

// maxPath bounds the attributes between an object and what it was read from.
const maxPath = 8

func objectOf(v *Val) objectKey { return keyWithin(v, maxPath) }

func keyWithin(v *Val, depth int) objectKey {
	v = Strip(v)
	if v == nil || depth == 0 {
		return objectKey{}
	}
	switch r := v.Ref.(type) {
	case nil:
	case *LibObject:
		if inner := passThrough(r); inner != nil {
			return keyWithin(inner, depth-1)
		}
		return objectKey{of: v.Ref}
	case *Instance:
		return objectKey{of: v.Ref}
	default:
		return objectKey{}
	}
	switch {
	case len(v.In) == 0 || v.In[0] == nil:
	case strings.HasPrefix(v.Op, OpAttr+"."):
		if name := BaseOp(v.Op); name != "module" { // of a wrapper
			return objectKey{keyWithin(v.In[0], depth-1), name}
		}
		return keyWithin(v.In[0], depth-1)
	case strings.HasPrefix(v.Op, OpCall+"."): // model.to(device).train() is the model
		if moduleSelf[BaseOp(v.Op)] || BaseOp(v.Op) == "requires_grad" {
			return keyWithin(v.In[0], depth-1)
		}
	}
	return objectKey{of: v}
}

// models are the objects of the program that are called like models, as far as it says
// what becomes of their parameters.
type models struct {
	in      *interp
	all     []*Val // an input before what was made of it
	trained map[objectKey]bool
	held    map[Ref]bool // objects whose parameters are trained, with all that they hold
	handed  map[*Val]bool
	not     map[objectKey]bool
	module  map[objectKey]bool // surely models, not mere functions
}

// train attaches what models in training yield.
func (in *interp) train() {
	m := &models{in: in, trained: map[objectKey]bool{}, held: map[Ref]bool{}, handed: map[*Val]bool{}, not: map[objectKey]bool{}, module: map[objectKey]bool{}}
	for _, f := range in.res.Frames {
		if f.Entry && f.Func != nil && in.takesModel(f.Func) && len(f.Params) > 1 {
			m.handed[f.Params[1]] = true
		}
	}
	if !m.mayTrain() {
		return
	}
	m.collect()
	for _, v := range m.all {
		m.note(v)
	}
	outputs, parts := m.outputs()
	if len(outputs)+len(parts) == 0 {
		return
	}
	by := map[*Val][]source{}
	for _, o := range outputs {
		by[o.val] = o.from
	}
	for _, v := range m.all {
		if v.Op == OpDelegate || v.IsOp("backward") {
			m.backward(v, by)
			outputs = append(outputs, m.sole(v, by, parts)...)
		}
	}
	changed := false
	for _, o := range outputs {
		if m.isTrained(o) {
			changed = m.attach(o.val) || changed
		}
	}
	for range maxRounds {
		if !changed {
			break
		}
		changed = m.overtake()
		for _, v := range m.all {
			if v.Q.Grad == domain.GradUnknown && !v.NoGrad && m.flows(v) {
				changed = m.attach(v) || changed
			}
		}
	}
}

// attach reports whether v is attached now and was not. Values of other modules are theirs.
func (m *models) attach(v *Val) bool {
	if v.Q.Grad != domain.GradUnknown || v.NoGrad || !m.owns(v) {
		return false
	}
	v.Q.Grad = domain.Attached
	return true
}

// owns reports whether v was computed for this module.
func (m *models) owns(v *Val) bool { return v.Frame != nil && v.Frame.owner == m.in }

// overtake attaches the arguments with which an evaluation was made that now stands only for other
// calls, since whoever made it is stale, where what each of those hands over is attached. It
// reports whether there are any.
func (m *models) overtake() bool {
	changed := false
	for _, f := range m.in.res.Frames {
		if f.stale || f.Caller == nil || !f.Caller.stale {
			continue
		}
		for i, p := range f.Params {
			if p == nil || p.Ref != nil || p.Q.Grad != domain.GradUnknown || p.Op != OpParam && (p.Frame == nil || !p.Frame.stale) {
				continue
			}
			handed, all := false, true
			for site := range f.liveSites {
				handed, all = true, all && i < len(site.Args) && site.Args[i] != nil && site.Args[i].Q.Grad == domain.Attached
			}
			if handed && all {
				p.Q.Grad, changed = domain.Attached, true
			}
		}
	}
	return changed
}

// mayTrain reports whether there is a model that may yield attached values, and something that
// says of a model that it is in training. Most modules have the one or the other at most.
func (m *models) mayTrain() bool {
	yields, trains := false, len(m.handed) > 0
	for _, f := range m.in.res.Frames {
		for _, v := range f.vals {
			if v == nil || yields && trains {
				continue
			}
			yields = yields || v.Q.Grad == domain.GradUnknown && !v.NoGrad && calledModel(v) != nil
			trains = trains || v.Op == OpDelegate || v.Is(domain.Optimizer) || v.IsOp("backward", "clip_grad_norm", "clip_grad_value", "parameters", "named_parameters")
		}
		if yields && trains {
			return true
		}
	}
	return false
}

// collected marks, instead of a place in the index, which is made later, a value that is listed.
const collected = -1

// collect lists the values of the module's own evaluations, inputs first.
func (m *models) collect() {
	others := map[*Val]bool{} // those that are not its own, which may be in use elsewhere
	isNew := func(v *Val) bool {
		if m.owns(v) {
			before := v.at
			v.at = collected
			return before != collected
		}
		before := others[v]
		others[v] = true
		return !before
	}
	type step struct {
		v    *Val
		done bool
	}
	var stack []step
	for _, f := range m.in.res.Frames {
		for i := range len(f.vals) + 1 {
			v := f.Result
			if i < len(f.vals) {
				v = f.vals[i]
			}
			if v == nil || !isNew(v) {
				continue
			}
			stack = append(stack[:0], step{v, false})
			for first := true; len(stack) > 0; first = false {
				top := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				switch {
				case top.done:
					m.all = append(m.all, top.v)
				case first || isNew(top.v):
					stack = append(stack, step{top.v, true})
					for x := range top.v.Sources {
						stack = append(stack, step{x, false})
					}
				}
			}
		}
	}
}

// note notes what an operation says of a model: that it is one, that it is trained, that
// it is not.
func (m *models) note(v *Val) {
	if len(v.In) == 0 || v.In[0] == nil {
		return
	}
	switch {
	case v.IsOp("parameters", "named_parameters", "state_dict", "load_state_dict", "train", "eval", "zero_grad", "requires_grad") && (v.Fn == nil || v.In[0].Is(domain.Module)):
		key := objectOf(v.In[0])
		m.module[key] = true
		if v.IsOp("eval", "load_state_dict") {
			m.not[key] = true
		}
		if v.IsOp("requires_grad") && len(v.In) > 1 && v.In[1] != nil && v.In[1].Const == false {
			m.freeze(v.In[0], v.Guard)
		}
	case v.Is(domain.Optimizer) && v.Ref != nil, v.IsOp("clip_grad_norm", "clip_grad_value"):
		for _, x := range v.In {
			m.trains(x)
		}
	}
}

// freeze notes net.requires_grad_(False), and the same of each of its parameters. Of a model of
// which some parameters are frozen, by their names, the rest is trained.
func (m *models) freeze(v *Val, g *Guard) {
	m.not[objectOf(v)] = true
	Walk(v, 20, func(x *Val) bool {
		if x.IsOp("get_parameter", "get_submodule") {
			return false
		}
		if x.IsOp("parameters", "named_parameters") && len(x.In) > 0 {
			if !isChosen(g, x) {
				m.not[objectOf(x.In[0])] = true
			}
			return false
		}
		return true
	})
}

// isChosen reports whether a condition asks something of each of the parameters of a list.
func isChosen(g *Guard, list *Val) bool {
	for range maxNesting {
		if g == nil {
			return false
		}
		if !g.Cond.IsOp("requires_grad") && Reaches(list, g.Cond, 50) {
			return true
		}
		g = g.Parent
	}
	return false
}

// trains notes that the parameters that a list holds are trained.
func (m *models) trains(list *Val) {
	Walk(list, 200, func(x *Val) bool {
		if !x.IsOp("parameters", "named_parameters") || len(x.In) == 0 || x.In[0] == nil {
			return true
		}
		m.trained[objectOf(x.In[0])] = true
		if IsObject(x.In[0].Ref) {
			AddHeld(x.In[0].Ref, m.held)
		}
		return false
	})
}

// output is what models yield where they are called, with each that it may come from.
type output struct {
	val  *Val
	from []source
}

// source is a model and the evaluation in which it is called.
type source struct {
	model *Val
	frame *Frame
}

// outputs are the tensors of unknown gradient that models yield. A call of which the
// result is taken apart yields a record: of its parts, what a policy or critic gives are
// tensors that gradients go through, and the others, which are parts, may be anything.
func (m *models) outputs() (out []output, parts map[*Val][]source) {
	calls := map[*Val][]source{}
	for _, v := range m.all {
		if v.Q.Grad == domain.GradUnknown && !v.NoGrad && m.owns(v) {
			if from := m.calledIn(v, calls); from != nil {
				calls[v] = from
			}
		}
	}
	if len(calls) == 0 {
		return nil, nil
	}
	parts = map[*Val][]source{}
	record := map[*Val]bool{}
	for _, v := range m.all {
		if len(v.In) == 0 || calls[v.In[0]] == nil {
			continue
		}
		switch from := calls[v.In[0]]; {
		case v.IsOp("logits", "loss") && (v.Fn != nil || strings.HasPrefix(v.Op, OpAttr+".")):
			for _, s := range from {
				m.module[objectOf(s.model)] = true
			}
			record[v.In[0]] = true
			if !v.NoGrad {
				out = append(out, output{v, from})
			}
		case strings.HasPrefix(v.Op, OpAttr+".") && v.Fn == nil:
			record[v.In[0]] = true
			if !v.NoGrad && v.Is(yielded) && (!v.Q.Whose.Known() || v.Q.Whose.Is(domain.Current)) {
				out = append(out, output{v, from})
			}
		case v.Op == OpItem && len(v.In) > 1 && v.In[1] != nil && v.In[1].Const != nil, v.Op == OpIterate:
			record[v.In[0]] = true
			if v.Ref == nil && !v.NoGrad && v.Q.Grad == domain.GradUnknown {
				parts[v] = from
			}
		}
	}
	for _, v := range m.all {
		if from := calls[v]; from != nil && !record[v] && v.Ref == nil && calledModel(v) != nil {
			out = append(out, output{v, from})
		}
	}
	return out, parts
}

// yielded are the quantities that a policy or critic gives, by the names of the parts of its
// record.
const yielded = domain.Logits | domain.LogProb | domain.Entropy | domain.StateValue | domain.QValue | domain.Loss

// calledIn are the models that yield v, by the calls that are known; nil where v may be anything
// else as well.
func (m *models) calledIn(v *Val, calls map[*Val][]source) []source {
	if model := calledModel(v); model != nil {
		return []source{{model, v.Frame}}
	}
	switch {
	case v.Op == OpPhi:
		var all []source
		for _, x := range v.In {
			switch {
			case x == nil || x.IsNone():
			case calls[x] == nil:
				return nil
			default:
				all = append(all, calls[x]...)
			}
		}
		return all
	case v.Op == OpNarrow:
		return calls[v.In[0]]
	case v.returnsFirst():
		return m.atSite(calls[v.In[0]], m.in.res.sites[v])
	}
	return nil
}

// atSite are the models that another call of an evaluation hands over in the place of its own.
func (m *models) atSite(from []source, site *Site) []source {
	if site == nil {
		return from
	}
	out := make([]source, len(from))
	for i, s := range from {
		out[i] = s
		for k, p := range site.Callee.Params {
			if k < len(site.Args) {
				m.inPlaceOf(s.model, p, site.Args[k], maxNesting, func(a *Val) { out[i] = source{a, site.Caller} })
			}
		}
	}
	return out
}

// calledModel returns what is called like a model in the call that yielded v, whatever its
// class; nil for any other value.
func calledModel(v *Val) *Val {
	switch {
	case v.Op == OpCall && v.Fn == nil && len(v.In) > 0 && v.In[0] != nil && v.Q.Kind == domain.UnknownKind && isCallable(v.In[0]):
		return v.In[0]
	case v.Fn != nil && strings.HasSuffix(v.Op, ".__call__") && len(v.In) > 0: // an object of a library's class
		last := v.In[len(v.In)-1]
		if o, ok := RefOf(last).(*LibObject); ok && o.Class != nil && o.Class.Kind == domain.Module {
			return last
		}
	}
	return nil
}

// isCallable reports whether v may be a model: an argument, an attribute or what a call
// yielded, of no structure that says otherwise.
func isCallable(v *Val) bool {
	v = Strip(v)
	switch {
	case v == nil, v.IsOp("namedtuple"): // a record is filled, not computed
		return false
	case v.Ref == nil:
		return v.Op == OpParam || v.Op == OpCall || strings.HasPrefix(v.Op, OpAttr+".") || strings.HasPrefix(v.Op, OpCall+".")
	}
	o, ok := v.Ref.(*LibObject)
	return ok && (o.Class == nil || o.Class.Kind == domain.Module)
}

// isTrained reports whether the model of an output is in training, for every call that the
// evaluation stands for.
func (m *models) isTrained(o output) bool {
	return !slices.ContainsFunc(o.from, func(s source) bool { return !m.inTraining(s.model, s.frame, maxDepth) })
}

func (m *models) inTraining(model *Val, f *Frame, depth int) bool {
	if depth == 0 || model == nil {
		return false
	}
	key := objectOf(model)
	if key == (objectKey{}) || m.isOther(model, key) {
		return false
	}
	handed, all := false, true // over by calls, all of which hand over one in training
	for site := range f.liveSites {
		for i, p := range f.Params {
			if i < len(site.Args) {
				m.inPlaceOf(model, p, site.Args[i], maxNesting, func(a *Val) {
					handed, all = true, all && m.inTraining(a, site.Caller, depth-1)
				})
			}
		}
	}
	if handed {
		return all
	}
	return m.trained[key] || m.isHeld(key) || m.isHanded(model)
}

// inPlaceOf calls visit for what a call hands over, in or as the argument a, where the
// evaluation that answers it was made with v in p.
func (m *models) inPlaceOf(v, p, a *Val, depth int, visit func(*Val)) {
	if p == v {
		visit(a)
	} else if depth > 0 {
		pairs(p, a, func(p, a *Val) { m.inPlaceOf(v, p, a, depth-1, visit) })
	}
}

// pairs calls visit for what two containers of one structure hold in the same places.
func pairs(a, b *Val, visit func(a, b *Val)) {
	switch x := RefOf(a).(type) {
	case *SeqRef:
		if y, ok := RefOf(b).(*SeqRef); ok && len(x.Elems) == len(y.Elems) {
			for i := range x.Elems {
				visit(x.Elems[i], y.Elems[i])
			}
		}
	case *DictRef:
		if y, ok := RefOf(b).(*DictRef); ok {
			for _, k := range x.order {
				visit(x.Fields[k], y.Fields[k])
			}
		}
	}
}

// isHeld reports whether a model is a part of one that is trained.
func (m *models) isHeld(key objectKey) bool {
	r, ok := key.of.(Ref)
	if of, nested := key.of.(objectKey); nested { // an attribute of an object
		r, ok = of.of.(Ref)
	}
	return ok && m.held[r]
}

// isHanded reports whether a model is what a trainer of a library hands to the hook that
// computes the loss: the first argument behind self.
func (m *models) isHanded(model *Val) bool { return m.handed[Strip(model)] }

// isOther reports whether the program says that a model is not the one in training: it is
// frozen, or its name says that it is the reference, the target, the old one.
func (m *models) isOther(model *Val, key objectKey) bool {
	if m.not[key] && !m.trained[key] {
		return true
	}
	for v := Strip(model); v != nil; {
		switch n := v.Node.(type) {
		case *ast.Param:
			return m.namesOther(n.Name)
		case *ast.Attribute:
			if m.namesOther(n.Attr) {
				return true
			}
		case *ast.Name:
			return m.namesOther(n.Ident)
		}
		if !strings.HasPrefix(v.Op, OpAttr+".") || len(v.In) == 0 {
			return false
		}
		v = Strip(v.In[0])
	}
	return false
}

// others are words of names that say that a model is not the one in training, beside those
// that the tables know.
var others = []string{"teacher", "frozen", "sft", "ema", "base", "initial", "expert", "reward", "rm", "best", "judge", "eval"}

func (m *models) namesOther(name string) bool {
	if m.in.table.Owner(name)&^domain.Current != 0 {
		return true
	}
	name = strings.ToLower(name)
	return slices.ContainsFunc(strings.Split(name, "_"), func(word string) bool { return slices.Contains(others, word) })
}

// backward takes the models whose outputs reach a loss for trained, where that loss has no
// other gradient: else backward() raises. by are the models by their outputs.
func (m *models) backward(call *Val, by map[*Val][]source) {
	if len(call.In) == 0 || call.In[0] == nil || call.NoGrad {
		return
	}
	for _, loss := range call.In[:min(len(call.In), 2)] {
		var found []source
		attached := false
		Walk(loss, 5000, func(x *Val) bool {
			if x.Q.Grad == domain.Detached || x.NoGrad {
				return false
			}
			if from := by[x]; from != nil {
				found = append(found, from...)
				return false
			}
			attached = attached || x.Q.Grad == domain.Attached
			return true
		})
		if !attached {
			m.takeForTrained(found)
		}
	}
}

// takeForTrained takes the models of which it is known that they are some for trained, but for
// those that the program calls others.
func (m *models) takeForTrained(from []source) {
	for _, s := range from {
		if key := objectOf(s.model); (m.module[key] || s.model.Is(domain.Module)) && !m.isOther(s.model, key) {
			m.trained[key] = true
		}
	}
}

// flows reports whether a value of unknown gradient was made of attached ones in a way that
// lets gradients through, for every call that it stands for.
func (m *models) flows(v *Val) bool {
	switch {
	case len(v.In) == 0:
		return false
	case v.Fn != nil:
		return m.in.gradOfRow(v) == domain.Attached
	case v.Op == OpPhi:
		return joinsAttached(v.In)
	case v.Op == OpNarrow, v.Ref == nil && pieceOps[BaseOp(v.Op)]:
		return v.In[0].Q.Grad == domain.Attached
	case v.Op == OpIterate: // a row of a tensor
		return v.Ref == nil && v.In[0].Ref == nil && v.In[0].Q.Grad == domain.Attached
	case v.Op == OpStore:
		return v.In[0] != nil && v.In[0].Q.Grad == domain.Attached || len(v.In) > 1 && v.In[1] != nil && v.In[1].Q.Grad == domain.Attached
	case v.returnsFirst():
		return v.In[0].Q.Grad == domain.Attached && m.sameAtSite(v)
	}
	return false
}

// joinsAttached reports whether all that a join may be is attached. As join has it, None and the
// zero that a sum starts from say nothing.
func joinsAttached(in []*Val) bool {
	found := false
	for _, x := range in {
		switch {
		case x == nil || x.IsNone():
		case x.Q.Grad == domain.Attached:
			found = true
		case !isNeutral(x):
			return false
		}
	}
	return found
}

// sameAtSite reports whether what another call's evaluation says of models is true of the
// call that yielded v: it handed over the same ones, or others in training.
func (m *models) sameAtSite(v *Val) bool {
	site := m.in.res.sites[v]
	if site == nil {
		return true
	}
	for i, a := range site.Args {
		if i < len(site.Callee.Params) && !m.sameArg(site.Callee.Params[i], a, site.Caller, maxNesting) {
			return false
		}
	}
	return true
}

// sameArg reports whether an argument is in training, or attached, where the one that the
// evaluation was made with is; of a container each of the things that it holds.
func (m *models) sameArg(p, a *Val, caller *Frame, depth int) bool {
	if a == nil || p == nil || p == a || depth == 0 {
		return true
	}
	if m.in.isModel(p, m) && !m.inTraining(a, caller, maxDepth) || p.Q.Grad == domain.Attached && a.Q.Grad != domain.Attached {
		return false
	}
	same := true
	pairs(p, a, func(p, a *Val) { same = same && m.sameArg(p, a, caller, depth-1) })
	return same
}

// isModel reports whether an argument is known, or was taken, for a model.
func (in *interp) isModel(v *Val, m *models) bool {
	key := objectOf(v)
	return v.Is(domain.Module) || key != (objectKey{}) && (m.module[key] || m.trained[key])
}

// gradOfRow applies the row of a value to its inputs as they are now.
func (in *interp) gradOfRow(v *Val) domain.Grad {
	defer in.scratch.Release(in.scratch.Mark())
	n := min(len(v.In), len(v.Fn.Params))
	if len(v.Fn.From) > 0 {
		return gradOfPart(v.Fn, v.In[0], maxNesting)
	}
	pos := in.scratch.Take(n)
	for i := range n {
		if v.In[i] != nil {
			pos[i] = in.operandOf(v.In[i])
		}
	}
	return v.Fn.Grad(pos)
}
