// Package roles derives a small model of a training program from its value
// graph: which networks are trained, which are copies, frozen or targets; which
// losses are minimised; which loops collect data and which update.
//
// Many mistakes of RL code are about the program rather than about one value:
// a reference model that is evaluated and never used, several gradient steps on
// one rollout, a layer replaced after the optimizer was built. Rules read this
// model for them.
//
// Input: an infer.Result. Output: a Model, derived once and immutable. What is
// not certain is absent or says so (Escapes, Complete): the model never guesses.
package roles

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Model is the roles of one program as seen from one module.
type Model struct {
	// Networks are the nn.Module objects of the program, in order of first sight.
	Networks []*Network
	// Optimizers are the optimizer objects, in source order.
	Optimizers []*Optimizer
	// Backwards are the calls that take gradients.
	Backwards []*Backward
	// Steps are the calls of optimizer.step().
	Steps []*infer.Val
	// EnvSteps are the calls that advance an environment or sample completions:
	// what makes fresh on-policy data.
	EnvSteps []*infer.Val

	g    *query.Graph
	byID map[infer.Ref]*Network

	calls       memo[*callIndex]
	envs        memo[envCalls]
	tests       memo[[]tested]
	stores      memo[*storeIndex]
	minimised   memo[map[*infer.Val]bool]
	graphs      memo[map[*infer.Val]bool]
	losses      memo[[]Loss]
	surrogates  memo[[]*Surrogate]
	actings     memo[[]*Acting]
	scales      memo[[]TwoScales]
	firsts      memo[[]OtherFirst]
	weighted    memo[[]Weighted]
	references  memo[[]*Reference]
	rollouts    memo[[]Rollout]
	arguments   memo[map[*infer.Val]bool]
	rounds      memo[*Rounds]
	severed     memo[[]Severed]
	buffers     memo[*bufferIndex]
	overwritten memo[[]Overwritten]
	transfers   memo[[]Transfer]
	bootstraps  memo[[]Bootstrap]
	fits        memo[[]Fit]
	lists       memo[*replayLists]
	answered    memo[map[callAt][]*infer.Frame]
	trials      memo[[]*Trial]
	layers      answers[infer.Ref, map[infer.Ref]bool]
	parts       answers[infer.Ref, map[infer.Ref]bool]
	evaluated   answers[*Network, evaluations]
	read        answers[*infer.Val, Loss]
	isLoss      answers[*infer.Val, bool]
	surrogate   answers[*infer.Val, *Surrogate]
	trained     trained
	allTrained  bool         // an optimizer may hold any network
	room        atomic.Int64 // values that Owner and ParametersOf may still look at
	cutRoom     atomic.Int64 // values that cuts may still look at
}

// Network is one nn.Module object (an *infer.Instance or *infer.LibObject).
type Network struct {
	Ref infer.Ref
	// Val is where the object was made.
	Val *infer.Val
	// CopyOf is the network that this one was deep-copied from, or whose weights it took
	// where it was made, or nil.
	CopyOf *Network
	// Trained says that an optimizer holds its parameters.
	Trained bool
	// Frozen says that its gradients were switched off, Switched that some of them were switched, off or on.
	Frozen, Switched bool
}

// Scores is what a model of a library is for, by its tables: domain.TokenIDs for a language
// model, domain.Reward for a reward model, else zero.
func (n *Network) Scores() domain.Kind {
	if o, ok := n.Ref.(*infer.LibObject); ok && o.Class != nil {
		return o.Class.Scores
	}
	return 0
}

// Optimizer is one optimizer object.
type Optimizer struct {
	Val *infer.Val
	// Networks are those whose parameters it was given.
	Networks []*Network
	// Complete says that every parameter it holds is accounted for, and that some are of networks. Open says that
	// it may hold those of any network.
	Complete, Open bool
}

// Backward is one call that takes gradients.
type Backward struct {
	Call *infer.Val // of backward()
	Loss *infer.Val // what is differentiated
}

const (
	// reach bounds a walk through the graph.
	reach = 20000
	// minReach and reachFactor, as a multiple of the module's values, bound all walks for
	// owners and parameters: each of many may lead through all of the module.
	minReach    = 1 << 20
	reachFactor = 16
)

// Derive builds the model.
func Derive(g *query.Graph) *Model {
	res := g.Values
	m := &Model{g: g, byID: map[infer.Ref]*Network{}}
	m.cutRoom.Store(maxAllCuts)
	m.room.Store(minReach + reachFactor*int64(len(res.Values())))
	for _, v := range res.OfKind(domain.Module) {
		if infer.IsObject(v.Ref) {
			m.network(v)
		}
	}
	listed := map[infer.Ref]bool{}
	for _, v := range res.OfKind(domain.Optimizer) {
		if v.Ref != nil && !listed[v.Ref] && !isDeclared(v) {
			listed[v.Ref] = true
			m.Optimizers = append(m.Optimizers, &Optimizer{Val: v})
		}
	}
	for _, v := range res.Made("backward") {
		if loss := differentiated(v); loss != nil {
			m.Backwards = append(m.Backwards, &Backward{Call: v, Loss: loss})
		}
	}
	for _, v := range res.Made("step", "generate", "rollout", "sample_completions") {
		m.noteStep(v)
	}
	m.link()
	return m
}

// isDeclared reports whether a value is an attribute of which its class's annotation alone says what it holds. Two reads
// of it are two values, though they may well be one object.
func isDeclared(v *infer.Val) bool { return strings.HasPrefix(v.Op, infer.OpAttr+".") }

// noteStep files a call under what it advances.
func (m *Model) noteStep(v *infer.Val) {
	switch {
	case v.Node == nil, v.Frame.Val(v.Node) != v: // an element of what a call returned
	case isStep(v):
		m.Steps = append(m.Steps, v)
	case isEnvStep(v):
		m.EnvSteps = append(m.EnvSteps, v)
	}
}

// differentiated returns the loss of loss.backward(), or of engine.backward(loss) as
// accelerate, DeepSpeed and Lightning spell it; nil for anything else. The argument
// of a loss is the gradient to start from.
func differentiated(v *infer.Val) *infer.Val {
	call, ok := v.Node.(*ast.Call)
	if len(v.In) == 0 || v.In[0] == nil {
		return nil
	}
	recv := v.In[0]
	if ok && len(call.Args) == 1 && len(v.In) > 1 && v.In[1] != nil {
		loss := v.Op == infer.OpDelegate && (recv.Q.Kind.Known() || recv.Q.Grad == domain.Attached || v.In[1].IsOp("ones_like", "ones", "tensor"))
		if !loss {
			return v.In[1]
		}
	}
	if v.Op == infer.OpDelegate {
		return recv
	}
	return nil
}

// isStep reports whether v is optimizer.step(), or scaler.step(optimizer).
func isStep(v *infer.Val) bool {
	if infer.BaseOp(v.Op) != "step" || len(v.In) == 0 || v.In[0] == nil {
		return false
	}
	if slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x.Is(domain.Optimizer) }) || strings.HasSuffix(v.Op, "GradScaler.step") {
		return true
	}
	call, ok := v.Node.(*ast.Call)
	return ok && len(call.Args) == 0 && !v.In[0].Is(domain.Env)
}

// StepsOf returns where an optimizer steps.
func (m *Model) StepsOf(o *Optimizer) []query.Place {
	var out []query.Place
	for _, v := range m.Steps {
		if slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x != nil && x.Ref == o.Val.Ref }) {
			out = append(out, query.PlaceOf(v))
		}
	}
	return out
}

// isEnvStep reports whether v advances an environment or generates text.
func isEnvStep(v *infer.Val) bool {
	call, ok := v.Node.(*ast.Call)
	if !ok {
		return false
	}
	switch infer.BaseOp(v.Op) {
	case "step":
		return len(call.Args)+len(call.Keywords) > 0 && len(v.In) > 0 && !v.In[0].Is(domain.Optimizer)
	case "generate", "rollout", "sample_completions":
		return true
	}
	return false
}

// network returns the network of an object, making it.
func (m *Model) network(v *infer.Val) *Network {
	if n := m.byID[v.Ref]; n != nil {
		if !makes(n.Val) && makes(v) {
			n.Val = v
		}
		return n
	}
	n := &Network{Ref: v.Ref, Val: v}
	m.byID[v.Ref] = n
	m.Networks = append(m.Networks, n)
	return n
}

// makes reports whether v is the call that made the object, not one that handed it
// on: nn.Linear(4, 2), of nn.Linear(4, 2).eval().
func makes(v *infer.Val) bool {
	o, ok := v.Ref.(*infer.LibObject)
	return v.Op == infer.OpNew || ok && (v.Op == o.Name || o.Class != nil && v.Op == o.Class.Name)
}

// Network returns the network that a value refers to, or nil.
func (m *Model) Network(v *infer.Val) *Network {
	if v == nil || v.Ref == nil {
		return nil
	}
	return m.byID[v.Ref]
}

// link connects optimizers and copies to networks.
func (m *Model) link() {
	for _, o := range m.Optimizers {
		m.linkOptimizer(o)
	}
	for _, v := range m.g.Values.Made(infer.OpRequiresGrad) {
		m.noteFrozen(v)
	}
	for _, v := range m.g.Values.Made("detach") {
		m.noteDetached(v)
	}
	for _, v := range m.g.Values.Made("deepcopy") {
		m.noteCopy(v)
	}
	for _, v := range m.g.Values.Made("load_state_dict") {
		m.noteWeights(v)
	}
}

// noteCopy recognises where a network is copied from another.
func (m *Model) noteCopy(v *infer.Val) {
	if v.Op != "copy.deepcopy" || len(v.In) == 0 {
		return
	}
	if n, of := m.Network(v), m.Network(v.In[0]); n != nil && of != nil && n != of {
		n.Val, n.CopyOf = v, of
	}
}

// noteWeights recognises n.load_state_dict(of.state_dict()) in the body that makes n.
func (m *Model) noteWeights(v *infer.Val) {
	if len(v.In) < 2 || v.In[1] == nil || !v.In[1].IsOp("state_dict") || len(v.In[1].In) == 0 {
		return
	}
	n, of := m.Network(v.In[0]), m.Network(v.In[1].In[0])
	if n == nil || of == nil || n.CopyOf != nil || v.Frame != n.Val.Frame {
		return
	}
	for c := of; c != nil; c = c.CopyOf {
		if c == n {
			return
		}
	}
	n.CopyOf = of
}

// walk is infer.Walk within the model's room; it is false where that was too small.
func (m *Model) walk(v *infer.Val, visit func(*infer.Val) bool) bool {
	within := true
	infer.Walk(v, reach, func(v *infer.Val) bool {
		within = within && m.room.Add(-1) > 0
		return within && visit(v)
	})
	return within
}

// memo is the answer to a question that several rules ask: the first works it out.
type memo[T any] struct {
	once sync.Once
	is   T
}

func (m *memo[T]) get(find func() T) T {
	m.once.Do(func() { m.is = find() })
	return m.is
}

// answers are what is found at the first time that somebody asks for a key.
type answers[K comparable, T any] struct {
	sync.Mutex
	found map[K]T
}

func (m *answers[K, T]) get(key K, find func() T) T {
	m.Lock()
	is, ok := m.found[key]
	m.Unlock()
	if ok {
		return is
	}
	is = find() // may ask for other keys
	m.Lock()
	defer m.Unlock()
	if m.found == nil {
		m.found = map[K]T{}
	}
	m.found[key] = is
	return is
}
