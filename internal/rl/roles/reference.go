package roles

import (
	"slices"
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Uses reports whether something that v was computed with belongs to a network.
func (m *Model) Uses(v *infer.Val, n *Network) bool {
	own, found := m.LayersOf(n), false
	infer.Walk(v, 20000, func(v *infer.Val) bool {
		found = found || v.Ref != nil && own[v.Ref]
		return !found
	})
	return found
}

// Reference is a network that stays as it was while another of its kind is
// trained: the base model of a KL penalty, a teacher.
type Reference struct {
	*Network
	// Policy is the trained network of which it is a copy, or a second instance.
	Policy *Network
	// Evaluations are the values that it yields, by the innermost calls.
	Evaluations []*infer.Val
}

// References returns the networks that are evaluated and surely neither trained
// nor brought up to date while another of their kind is trained.
func (m *Model) References() []*Reference { return m.references.get(m.findReferences) }

func (m *Model) findReferences() []*Reference {
	var out []*Reference
	if !m.takesGradients() {
		return nil
	}
	for _, n := range m.Networks {
		if n.Trained {
			continue
		}
		policy := m.sibling(n)
		if policy == nil || m.synced(n, policy) {
			continue
		}
		evals, ok := m.evaluations(n)
		if ok && len(evals) > 0 && (n.Frozen || n.CopyOf == policy || allDetached(evals)) {
			out = append(out, &Reference{Network: n, Policy: policy, Evaluations: evals})
		}
	}
	return out
}

// OnlyWatches reports whether a program evaluates a policy beside a reference for people alone: without gradients, and nothing that the
// policy yields there trains anything. That measures how far the policy went, and penalises nothing.
func (m *Model) OnlyWatches(r *Reference) bool {
	policy, ok := m.evaluations(r.Policy)
	if !ok {
		return false
	}
	var beside []*infer.Val
	for _, v := range policy {
		if slices.ContainsFunc(r.Evaluations, func(e *infer.Val) bool { return isBeside(v.Frame, e.Frame) }) {
			beside = append(beside, v)
		}
	}
	apart := len(beside) > 0 && !slices.ContainsFunc(append(beside, r.Evaluations...), func(v *infer.Val) bool { return !v.NoGrad })
	if !apart {
		return false
	}
	fate := m.FateOf(beside...)
	return fate.Shown && !fate.Matters()
}

// isBeside reports whether a policy is evaluated where a reference is: in the same call of a function, in one that it makes, or in another
// call of the same helper.
func isBeside(policy, reference *infer.Frame) bool {
	return policy == reference || policy.Caller == reference || policy.Caller != nil && policy.Caller == reference.Caller && query.SameBody(policy, reference)
}

// KLSign is 1 where a value grows with the KL of the policy to a reference, as a divergence does and
// logp - ref_logp; -1 where it falls, 0 where that is not known.
func (m *Model) KLSign(kl query.Seen) int {
	switch {
	case !kl.Known():
		return 0
	case kl.IsDivergence():
		return 1
	}
	d, ok := query.LogRatioOf(kl.Unreduced())
	if !ok {
		return 0
	}
	for _, r := range m.References() {
		plus, minus := m.Uses(d.Plus.Val, r.Network), m.Uses(d.Minus.Val, r.Network)
		switch {
		case plus == minus:
		case minus:
			return 1
		default:
			return -1
		}
	}
	return 0
}

// policyKinds are what a policy yields, and what is made of it.
const policyKinds = domain.LogProb | domain.Prob | domain.KL | domain.LogRatio | domain.Logits | domain.Distribution

// SharesInput reports whether the reference sees something that the policy is
// trained on: else it is evaluated for its own sake.
func (m *Model) SharesInput(r *Reference) bool {
	trained := m.trainedOn(r.Policy)
	shared := false
	for _, v := range r.Evaluations {
		inputs(v, func(x *infer.Val) { shared = shared || trained[x] })
	}
	return shared
}

// trainedOn are the data of which a network makes something that is minimised. Most
// programs have one policy, so the last answer is kept.
func (m *Model) trainedOn(policy *Network) map[*infer.Val]bool {
	m.trained.Lock()
	defer m.trained.Unlock()
	if m.trained.policy == policy {
		return m.trained.on
	}
	evals, _ := m.evaluations(policy)
	minimised := m.inLosses()
	on := map[*infer.Val]bool{}
	for _, v := range evals {
		for _, part := range nested(v) {
			if minimised[part] {
				inputs(v, func(x *infer.Val) { on[x] = true })
			}
		}
	}
	m.trained.policy, m.trained.on = policy, on
	return on
}

// trained is what a policy is trained on.
type trained struct {
	sync.Mutex
	policy *Network
	on     map[*infer.Val]bool
}

// inLosses are the values that some loss is made of.
func (m *Model) inLosses() map[*infer.Val]bool {
	return m.minimised.get(func() map[*infer.Val]bool {
		out := map[*infer.Val]bool{}
		for _, l := range m.Losses() {
			infer.Walk(l.Value.Val, 20000, func(v *infer.Val) bool {
				known := out[v] // one loss may be made of another
				out[v] = true
				return !known
			})
		}
		return out
	})
}

// inputs visits the data that a value was computed from: no objects, no constants.
func inputs(v *infer.Val, visit func(*infer.Val)) {
	infer.Walk(v, 2000, func(x *infer.Val) bool {
		if x.Const != nil || x.Ref != nil && infer.IsObject(x.Ref) && x != v {
			return false
		}
		if x != v && (x.Frame != nil || x.Op == infer.OpParam) {
			visit(x)
		}
		return true
	})
}

// AboutPolicies reports whether the values are about actions or tokens: a value
// network has no KL. A call that was not entered is what other calls of the
// function yield.
func (m *Model) AboutPolicies(f *Fate) bool {
	for v := range f.Vals {
		if v.Is(policyKinds) || refused(v) && m.yields(calledFunc(v), policyKinds) {
			return true
		}
	}
	return false
}

func (m *Model) yields(fn *infer.FuncRef, k domain.Kind) bool {
	for f := range m.g.EachFrame {
		if f.Func != nil && f.Func.Def == fn.Def && f.Result.Is(k) {
			return true
		}
	}
	return false
}

// allDetached reports whether no gradient flows through what a network yields, a
// tensor each or a record of them.
func allDetached(vals []*infer.Val) bool {
	for _, v := range vals {
		known := false
		for _, part := range nested(v) {
			if query.IsContainer(part) || part.IsNone() {
				continue
			}
			if known = part.Q.Grad == domain.Detached; !known {
				return false
			}
		}
		if !known {
			return false
		}
	}
	return true
}

// sibling is the trained network that n is a copy or second instance of.
func (m *Model) sibling(n *Network) *Network {
	for c := n.CopyOf; c != nil; c = c.CopyOf {
		if c.Trained {
			return c
		}
	}
	var first *Network
	for _, m := range m.Networks {
		if !m.Trained || m.CopyOf != n && (n.CopyOf != nil || !sameClass(m, n)) {
			continue
		}
		if m.CopyOf == n || m.Val.Frame == n.Val.Frame {
			return m // made in one place
		}
		if first == nil {
			first = m
		}
	}
	return first
}

// sameClass reports whether two networks are instances of one class that are made
// by the same operation.
func sameClass(a, b *Network) bool {
	if maker(a) == maker(b) {
		return true
	}
	switch x := a.Ref.(type) {
	case *infer.Instance:
		y, ok := b.Ref.(*infer.Instance)
		return ok && x.Class == y.Class
	case *infer.LibObject:
		y, ok := b.Ref.(*infer.LibObject)
		return ok && x.Name == y.Name && query.CalleeName(a.Val.Node) == "from_pretrained" && query.CalleeName(b.Val.Node) == "from_pretrained"
	}
	return false
}

// maker is the expression by which a network was made: one for all calls of the
// function that it stands in.
func maker(n *Network) ast.Node {
	v := n.Val
	for v.Op == infer.OpCall && len(v.In) > 0 && v.In[0] != nil && v.In[0].Is(domain.Module) {
		v = v.In[0]
	}
	return v.Node
}

// notEvaluations are methods and functions that take a network and yield no
// output of it.
var notEvaluations = query.Words(`parameters named_parameters buffers named_buffers state_dict load_state_dict eval train to cuda cpu half float
	bfloat16 double requires_grad_ modules named_modules children named_children zero_grad deepcopy copy apply share_memory save_pretrained
	gradient_checkpointing_enable gradient_checkpointing_disable enable_input_require_grads compile prepare prepare_model unwrap_model
	isinstance hasattr getattr setattr len print id type freeze register_buffer resize_token_embeddings watch next zip
	set_default summary numel num_parameters get_input_embeddings is_deepspeed_available`)

// IsNoEvaluation reports whether a method of a network of that name yields no output of it.
func IsNoEvaluation(method string) bool { return notEvaluations[method] }

// OfNetwork reports whether something that v was computed with belongs to a network.
func (m *Model) OfNetwork(v *infer.Val) bool {
	return slices.ContainsFunc(m.Networks, func(n *Network) bool { return m.Uses(v, n) })
}

// Switched reports whether something may make another model of a network for a while, as
// switching adapters off does: a method that is not known is called on it, or an attribute
// of one of its layers is set after it was made.
func (m *Model) Switched(n *Network) bool {
	own := m.LayersOf(n)
	for _, v := range m.calledWith().takers(own) {
		if calledOn(v, own) && m.g.IsOpaque(v) && !notEvaluations[query.CalleeName(v.Node)] {
			return true
		}
	}
	for f := range m.g.EachFrame {
		if f.Func != nil && f.Func.Name() == "__init__" {
			continue
		}
		set := false
		for _, node := range f.Nodes() {
			as, _ := node.(*ast.Assign)
			for at := range attributesOf(as) {
				x := f.Val(at.X)
				set = set || x != nil && x.Ref != nil && own[x.Ref]
			}
		}
		if set {
			return true
		}
	}
	return false
}

// attributesOf yields the attributes that a statement assigns.
func attributesOf(as *ast.Assign) func(func(*ast.Attribute) bool) {
	return func(yield func(*ast.Attribute) bool) {
		if as == nil {
			return
		}
		for _, t := range as.Targets {
			if at, ok := t.(*ast.Attribute); ok && !yield(at) {
				return
			}
		}
	}
}

// passive are attributes of a network that are no output of it.
var passive = query.Words("config device dtype training generation_config vocab_size hidden_size name_or_path module model")

// evaluations returns the values that a network yields, by the innermost calls
// that it goes into. ok is false where something that is not understood takes the
// network: then not all evaluations are known.
func (m *Model) evaluations(n *Network) (out []*infer.Val, ok bool) {
	e := m.evaluated.get(n, func() evaluations {
		of, all := m.findEvaluations(n)
		return evaluations{of, all}
	})
	return e.of, e.all
}

// evaluations are what a network yields, and whether that is all.
type evaluations struct {
	of  []*infer.Val
	all bool
}

func (m *Model) findEvaluations(n *Network) (out []*infer.Val, ok bool) {
	ok = true
	own := m.LayersOf(n)
	if m.leaks(own) {
		return nil, false
	}
	for _, v := range m.calledWith().takers(own) {
		if methodOf(v.Frame, own) && !slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x != nil && x.Ref == n.Ref }) {
			continue // a step inside the network
		}
		switch {
		case calledOn(v, own) && !notEvaluations[query.CalleeName(v.Node)]:
			out = append(out, v)
		case own[v.Ref], v.Op == infer.OpDisplay, v.Op == infer.OpNew && isInstance(v), v.Op == infer.OpFunction, v.Op == infer.OpItem,
			notEvaluations[query.CalleeName(v.Node)], v.IsOp("is", "isnot", "eq", "ne", "DataParallel", "phi", "narrow"), m.g.Values.SiteOf(v) != nil:
			// no output, or a call of the program's own functions: their bodies tell
		case v.Op == infer.OpAttr:
			if at, isAttr := v.Node.(*ast.Attribute); !isAttr || !passive[at.Attr] {
				out = append(out, v)
			}
		case refused(v):
			out = append(out, v)
		case m.g.IsOpaque(v) && !isModuleCall(v):
			ok = false
		}
	}
	return out, ok
}

// methodOf reports whether a frame runs inside a method of one of some objects.
func methodOf(f *infer.Frame, own map[infer.Ref]bool) bool {
	for ; f != nil; f = f.Caller {
		if f.Func != nil && f.Func.Self != nil && f.Func.Self.Ref != nil && own[f.Func.Self.Ref] {
			return true
		}
	}
	return false
}

// leaks reports whether a network keeps something in an attribute while it is
// evaluated, and others read that attribute.
func (m *Model) leaks(own map[infer.Ref]bool) bool {
	kept := map[string]bool{}
	for f := range m.g.EachFrame {
		if f.Func == nil || f.Func.Name() == "__init__" || !methodOf(f, own) { // no body of a class in a method
			continue
		}
		for _, st := range f.Body() {
			ast.Walk(st, func(n ast.Node) bool {
				if as, ok := n.(*ast.Assign); ok {
					for _, t := range as.Targets {
						if at, ok := t.(*ast.Attribute); ok {
							kept[at.Attr] = true
						}
					}
				}
				return true
			})
		}
	}
	return len(kept) > 0 && m.readsOf(own, kept)
}

// readsOf reports whether an attribute of one of some objects is read from outside.
func (m *Model) readsOf(own map[infer.Ref]bool, names map[string]bool) bool {
	found := false
	for f := range m.g.EachFrame {
		if found || methodOf(f, own) {
			continue
		}
		for _, st := range f.Body() {
			ast.Walk(st, func(n ast.Node) bool {
				if at, ok := n.(*ast.Attribute); ok && names[at.Attr] {
					x := f.Val(at.X)
					found = found || x != nil && x.Ref != nil && own[x.Ref]
				}
				return !found
			})
		}
	}
	return found
}

// isModuleCall reports whether v is made by a constructor of a layer.
func isModuleCall(v *infer.Val) bool { return v.Is(domain.Module) }

// refused reports whether v is a call of a function of the program that inference
// did not enter, and that by its syntax only computes.
func refused(v *infer.Val) bool {
	fn := calledFunc(v)
	return fn != nil && v.Op == infer.OpCall && fn.Def != nil && len(v.In) > 0 && !v.Q.Kind.Known() && isPure(fn.Def.Body)
}

// calledFunc is the function of the program that a call is known to call, or nil.
func calledFunc(v *infer.Val) *infer.FuncRef {
	call, ok := v.Node.(*ast.Call)
	if !ok || v.Frame == nil {
		return nil
	}
	if fun := v.Frame.Val(call.Fun); fun != nil {
		fn, _ := fun.Ref.(*infer.FuncRef)
		return fn
	}
	return nil
}

// isInstance reports whether v is an object of the program, as self is.
func isInstance(v *infer.Val) bool {
	_, ok := v.Ref.(*infer.Instance)
	return ok
}

// calledOn reports whether v is a call of one of the objects or of a method of it.
func calledOn(v *infer.Val, objects map[infer.Ref]bool) bool {
	call, ok := v.Node.(*ast.Call)
	if !ok || v.Frame == nil {
		return false
	}
	is := func(e ast.Expr) bool {
		x := v.Frame.Val(e)
		return x != nil && x.Ref != nil && objects[x.Ref]
	}
	at, isMethod := call.Fun.(*ast.Attribute)
	return is(call.Fun) || isMethod && is(at.X)
}

// networkIn is the operand of a call that is the network: what is called, what a
// method is called on, or an argument.
func networkIn(f *infer.Frame, n ast.Node, net *Network) ast.Expr {
	call, ok := n.(*ast.Call)
	if !ok || f == nil {
		return nil
	}
	list := append([]ast.Expr{call.Fun}, query.Operands(call)...)
	for _, e := range list {
		if v := f.Val(e); v != nil && v.Ref == net.Ref {
			return e
		}
	}
	return nil
}

// Marks returns the innermost calls that only the reference goes into: not the
// body of a helper that the policy uses as well, but the call of that helper.
func (m *Model) Marks(r *Reference) []query.Place {
	var out []query.Place
	seen := map[ast.Node]bool{}
	for _, v := range r.Evaluations {
		m.outwards(query.Place{Frame: v.Frame, Node: v.Node}, r, 8, func(at query.Place) {
			if !seen[at.Node] {
				seen[at.Node] = true
				out = append(out, at)
			}
		})
	}
	return out
}

// outwards goes from a call to its callers until no other network goes into it.
func (m *Model) outwards(at query.Place, r *Reference, depth int, visit func(query.Place)) {
	if !m.shared(at, r) {
		visit(at)
		return
	}
	if depth == 0 {
		return
	}
	for site := range at.Frame.Sites {
		m.outwards(query.Place{Frame: site.Caller, Node: site.Node}, r, depth-1, visit)
	}
}

// shared reports whether another network takes the reference's place where the
// same code is evaluated in another context.
func (m *Model) shared(at query.Place, r *Reference) bool {
	e := networkIn(at.Frame, at.Node, r.Network)
	if e == nil {
		return m.anotherSelf(at, r)
	}
	for f := range m.g.EachFrame {
		if f == at.Frame || !query.SameBody(f, at.Frame) {
			continue
		}
		if v := f.Val(e); v != nil && v.Ref != r.Ref && m.Network(v) == r.Policy {
			return true
		}
	}
	return false
}

// anotherSelf is shared for a call inside a method of the network.
func (m *Model) anotherSelf(at query.Place, r *Reference) bool {
	for f := range m.g.EachFrame {
		if f != at.Frame && query.SameBody(f, at.Frame) && f.Val(at.Node) != nil {
			return true
		}
	}
	return false
}

// synced reports whether a network is brought up to date, or made again, while the
// program trains: it is then a snapshot or a target, not a reference. Whoever takes
// its weights elsewhere than where it is made may do so.
func (m *Model) synced(n, policy *Network) bool {
	if n.Val.Frame == nil || m.inTraining(n.Val, policy) || isUpdate(n.Val.Frame) {
		return true
	}
	for _, v := range m.calledWith().takers(map[infer.Ref]bool{n.Ref: true}) {
		if v.In[0] == nil || v.In[0].Ref != n.Ref {
			continue
		}
		switch query.CalleeName(v.Node) {
		case "load_state_dict", "parameters", "buffers", "named_parameters", "state_dict":
			if v.Frame != n.Val.Frame && !freezes(v.Frame) || m.inTraining(v, policy) {
				return true
			}
		}
	}
	return false
}

// isUpdate reports whether a frame is a method that nobody is seen to call, other
// than a constructor: it may run any number of times.
func isUpdate(f *infer.Frame) bool {
	return f.Entry && f.Func != nil && f.Func.Self != nil && f.Func.Name() != "__init__"
}

// freezes reports whether a body calls nothing but what tells a network to take no
// gradients.
func freezes(f *infer.Frame) bool {
	if f == nil {
		return false
	}
	only := true
	for _, st := range f.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			if call, ok := n.(*ast.Call); ok {
				only = only && notEvaluations[query.CalleeName(call)]
			}
			return only
		})
	}
	return only
}

// inTraining reports whether v is computed inside a loop that steps an optimizer. A
// loop that makes the policy as well, as one over seeds does, trains another each
// time.
func (m *Model) inTraining(v *infer.Val, policy *Network) bool {
	for _, l := range m.Nest(query.PlaceOf(v)) {
		if m.Inside(l, query.PlaceOf(policy.Val)) {
			continue
		}
		if m.Updates(l) {
			return true
		}
	}
	return false
}
