package infer

import (
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # What parameters are, from what is done with them
//
// Values flow forwards: from what is known of its inputs follows what an operation gives. A
// function that nobody calls has no inputs; a framework calls it, or a test that is not here.
// But what its body does with a parameter tells what it was written for, as the contracts of
// libraries tell it of their arguments: what goes into log_softmax are logits, what stands
// under exp and is then clipped about 1 is a difference of log-probabilities, what scales
// both a ratio and its clip is the advantage. So an entry is evaluated once, its contracts
// are read backwards, and where that taught anything it is evaluated again, with evidence
// of its own kind (domain.Used). The first evaluation is stale then.
//
// A body that is wrong teaches nothing wrong: only shapes are read that have one reading. Of
// what Categorical(x) takes nothing follows, since logits are passed there by mistake; and
// where two uses, or a use and a name, disagree, nothing is learned.

// aim is a parameter of an entry, or an item or attribute of one. place counts the things that a
// parameter is taken apart into from 1, as in "a, b = data"; anyPlace is all that a loop goes over.
type aim struct {
	param int
	key   string
	place int
}

const anyPlace = -1

// isPart reports whether it is an item or attribute, or one of the things that a parameter is taken apart into.
func (a aim) isPart() bool { return a.key != "" || a.place != 0 }

// usage is what the uses in an entry and in what it calls say.
type usage struct {
	params map[*Val]aim // and those of functions that they are handed to
	kinds  map[aim]domain.Kind
	whole  map[int]bool // parameters that are used other than by their items and attributes
	parts  map[int]int  // parameters that are taken apart, and into how many things
	others map[int]bool // parameters that are used as no list is
}

// again evaluates an entry again, if its body says what its parameters are. made are the
// frames that were made while it was evaluated.
func (in *interp) again(f *Frame, made []*Frame) *Frame {
	if f == nil || in.spent() || in.ctx.Err() != nil {
		return f
	}
	u := in.usesIn(f, made)
	args, learned := slices.Clone(f.Params), false
	for i := range args {
		if v := in.taught(args[i], u, i); v != nil {
			args[i], learned = v, true
		}
	}
	if !learned {
		return f
	}
	f.stale = true
	return in.enter(f.Func, nil, args, nil)
}

// taught is a parameter with what its uses say; nil where they say nothing new.
func (in *interp) taught(p *Val, u *usage, i int) *Val {
	if !isLearner(p) {
		return nil
	}
	if q, ok := learn(p.Q, u.kinds[aim{param: i}]); ok && p.Ref == nil {
		v := *p
		v.Q, v.at = q, 0
		return in.newVal(v)
	}
	if kind := u.kinds[aim{param: i, place: anyPlace}]; kind != 0 && p.Ref == nil && !u.others[i] {
		return in.taughtList(p, kind)
	}
	if u.whole[i] {
		return nil
	}
	if n := u.parts[i]; n > 0 && p.Ref == nil {
		return in.taughtParts(p, u, i, n)
	}
	fields := map[string]*Val{}
	for a, kind := range u.kinds {
		if a.param != i || a.key == "" {
			continue
		}
		was := domain.Unknown
		if named := in.named(a.key); named != nil {
			was = *named
		}
		if q, ok := learn(was, kind); ok {
			fields[a.key] = in.newVal(Val{Q: q, Op: OpAttr + "." + a.key, In: []*Val{p}})
		}
	}
	if len(fields) == 0 {
		return nil
	}
	v := *p
	v.at = 0
	if r, ok := p.Ref.(*Instance); ok {
		obj := &Instance{Class: r.Class, Attrs: maps.Clone(r.Attrs), owner: in} // the same object, so listed already
		maps.Copy(obj.Attrs, fields)
		v.Ref = obj
		return in.newVal(v)
	}
	d := in.openDict()
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		d.Fields[key] = fields[key]
		d.order = append(d.order, key)
	}
	v.Ref = d
	return in.newVal(v)
}

// taughtParts is a parameter that is taken apart into n things.
func (in *interp) taughtParts(p *Val, u *usage, i, n int) *Val {
	r, learned := &SeqRef{owner: in}, false
	for place := range n {
		q, ok := learn(domain.Unknown, u.kinds[aim{param: i, place: place + 1}])
		learned = learned || ok
		r.Elems = append(r.Elems, in.newVal(Val{Q: q, Op: OpItem, In: []*Val{p, in.constant(int64(place))}}))
	}
	if !learned {
		return nil
	}
	v := *p
	v.Ref, v.at = r, 0
	return in.newVal(v)
}

// taughtList is a parameter that is a list of things of a kind. A name tells of all of them.
func (in *interp) taughtList(p *Val, kind domain.Kind) *Val {
	q, ok := learn(domain.Unknown, kind)
	if _, agrees := learn(p.Q, kind); !ok || !agrees {
		return nil
	}
	v := *p
	v.Q, v.at = domain.Of(domain.Other), 0
	v.Ref = &SeqRef{Elem: in.newVal(Val{Q: q, Op: OpIterate, In: []*Val{p}}), List: true, owner: in}
	return in.newVal(v)
}

// isLearner reports whether uses may say what a parameter is: nothing is known of it but a name,
// or that it is a record of a class.
func isLearner(p *Val) bool {
	if p == nil || p.Op != OpParam {
		return false
	}
	r, ok := p.Ref.(*Instance)
	return p.Ref == nil || ok && r.Class.Record
}

// learn adds a kind to what is known. A name may tell the kind alone, and agree.
func learn(q domain.Value, kind domain.Kind) (domain.Value, bool) {
	switch {
	case kind == 0 || q.Kind.Known() && (q.Evidence != domain.NameOnly || !q.Kind.May(kind)):
		return q, false
	case !q.Kind.Known():
		q.Whose = kind.Owner(q.Whose)
	}
	q.Kind, q.Evidence = kind, domain.Used
	return q, true
}

// usesIn reads the uses of an entry's parameters. A call that an earlier evaluation answered is
// read there, with its arguments for the parameters.
func (in *interp) usesIn(f *Frame, made []*Frame) *usage {
	u := &usage{params: map[*Val]aim{}, kinds: map[aim]domain.Kind{}, whole: map[int]bool{}, parts: map[int]int{}, others: map[int]bool{}}
	for i, p := range f.Params {
		if isLearner(p) {
			u.params[p] = aim{param: i}
		}
	}
	if len(u.params) == 0 {
		return u
	}
	read := map[*Frame]bool{}
	for _, g := range made {
		read[g] = true
	}
	for _, g := range made {
		for v := range g.Each {
			u.read(v)
			if site := in.res.sites[v]; site != nil && !read[site.Callee] && u.handed(site) {
				read[site.Callee] = true
				for x := range site.Callee.Each {
					u.read(x)
				}
			}
		}
	}
	return u
}

// handed notes what of the parameters a call takes for arguments; it reports whether there is any.
func (u *usage) handed(site *Site) bool {
	found := false
	for i, arg := range site.Args {
		if i >= len(site.Callee.Params) || site.Callee.Params[i] == nil {
			continue
		}
		if a, ok := u.aimOf(arg); ok {
			u.params[site.Callee.Params[i]] = a
			found = true
		}
	}
	return found
}

// read takes what one value says of those that it is computed from.
func (u *usage) read(v *Val) {
	for _, x := range v.In {
		a, ok := u.params[x]
		switch {
		case !ok || a.isPart() || strings.HasPrefix(v.Op, OpAttr+"."):
		case placeOf(v) > 0:
			u.parts[a.param] = max(u.parts[a.param], placeOf(v))
		default:
			u.whole[a.param] = true
			u.others[a.param] = u.others[a.param] || !isOp(v, OpIterate, OpItem, OpNarrow, OpPhi, OpDisplay, "size", "is", "isnot")
		}
	}
	switch {
	case v.Fn != nil && isOp(v, "log_softmax", "cross_entropy", "gumbel_softmax") && len(v.In) > 0:
		u.is(v.In[0], domain.Logits)
	case v.Fn != nil && isOp(v, "clamp", "clip") && len(v.In) > 2 && belowOne(v.In[1]) && aboveOne(v.In[2]):
		u.ratio(v.In[0])
	case isOp(v, "minimum", "maximum", "min", "max") && len(v.In) == 2 && v.In[0] != nil && v.In[1] != nil:
		u.surrogate(v.In[0], v.In[1])
		u.surrogate(v.In[1], v.In[0])
	case isOp(v, "div") && len(v.In) == 2:
		u.maskedMean(v.In[0], v.In[1])
	case isOp(v, "add", "sub"):
		u.divergence(v)
	}
	if o, ok := v.Ref.(*LibObject); ok && strings.HasPrefix(o.Name, "torch.distributions.") && o.Args["logits"] != nil {
		u.is(o.Args["logits"], domain.Logits)
	}
}

// is notes that a value is of a kind, if it is a parameter or read from one. Uses that
// disagree teach nothing.
func (u *usage) is(v *Val, kind domain.Kind) {
	a, ok := u.aimOf(v)
	if !ok {
		return
	}
	if was, seen := u.kinds[a]; seen && was != kind {
		kind = 0
	}
	u.kinds[a] = kind
}

func (u *usage) aimOf(v *Val) (aim, bool) {
	v = unconverted(v)
	if v == nil {
		return aim{}, false
	}
	if a, ok := u.params[v]; ok {
		return a, true
	}
	if len(v.In) == 0 {
		return aim{}, false
	}
	a, ok := u.params[v.In[0]]
	ok = ok && !a.isPart()
	if key, is := strings.CutPrefix(v.Op, OpAttr+"."); ok && is {
		return aim{param: a.param, key: key}, true
	}
	if v.Op == OpIterate {
		return aim{param: a.param, place: anyPlace}, ok
	}
	return aim{param: a.param, place: placeOf(v)}, ok && placeOf(v) > 0
}

// unconverted is what v carries the numbers of, also by way of a helper that makes a tensor of what is none yet, and
// leaves alone what is one.
func unconverted(v *Val) *Val {
	v = Strip(v)
	if v != nil && v.Op == OpPhi && len(v.In) == 2 && SameSource(v.In[0], v.In[1]) {
		return Strip(v.In[0])
	}
	return v
}

// placeOf is the place, from 1, at which a value stands in what an assignment takes apart; else 0.
func placeOf(v *Val) int {
	if _, written := v.Node.(*ast.Subscript); written || v.Op != OpItem || len(v.In) < 2 {
		return 0
	}
	i, ok := v.In[1].Int()
	if !ok || i < 0 || i >= maxElems {
		return 0
	}
	return int(i) + 1
}

// same reports whether two values carry the same numbers. Each read of an item of a parameter
// is a value of its own.
func (u *usage) same(a, b *Val) bool {
	if SameSource(a, b) {
		return true
	}
	x, ok := u.aimOf(a)
	y, ok2 := u.aimOf(b)
	return ok && ok2 && x == y
}

// ratio takes what is clipped about 1: exp(a - b) is a ratio of probabilities.
func (u *usage) ratio(v *Val) {
	for exp := range exponentials(v) {
		d := Strip(exp.In[0])
		if isOp(d, "clamp", "clip") && len(d.In) > 0 { // against an overflow
			d = Strip(d.In[0])
		}
		if isOp(d, "sub") && len(d.In) == 2 {
			u.is(d.In[0], domain.LogProb)
			u.is(d.In[1], domain.LogProb)
		}
	}
}

// exponentials are the exponentials that v is: one, or one a branch, of which a mean or product
// may be taken over the parts of an action.
func exponentials(v *Val) func(yield func(*Val) bool) {
	return func(yield func(*Val) bool) {
		eachExponential(v, 4, yield)
	}
}

// eachExponential reports whether yield wants more.
func eachExponential(v *Val, depth int, yield func(*Val) bool) bool {
	v = Strip(v)
	switch {
	case v == nil || len(v.In) == 0 || depth == 0:
	case isOp(v, "exp"):
		return yield(v)
	case isOp(v, "mean", "prod"):
		return eachExponential(v.In[0], depth-1, yield)
	case isOp(v, OpPhi):
		for _, x := range v.In {
			if !eachExponential(x, depth-1, yield) {
				return false
			}
		}
	}
	return true
}

// divergence takes exp(a - b) - (a - b) - 1: an estimate of the KL, of log-probabilities.
func (u *usage) divergence(v *Val) {
	var exp *Val
	var rest []signed
	constant := 0.0
	for _, t := range signedTerms(nil, v, 1, 4) {
		c, ok := t.Float()
		switch {
		case ok:
			constant += float64(t.sign) * c
		case t.sign > 0 && exp == nil && isOp(Strip(t.Val), "exp"):
			exp = Strip(t.Val)
		default:
			rest = append(rest, t)
		}
	}
	if exp == nil || constant != -1 || len(exp.In) == 0 {
		return
	}
	want := signedTerms(nil, exp.In[0], -1, 4)
	if len(want) != 2 || want[0].sign == want[1].sign || len(rest) != 2 {
		return
	}
	for _, t := range rest {
		if !slices.ContainsFunc(want, func(w signed) bool { return w.sign == t.sign && u.same(w.Val, t.Val) }) {
			return
		}
	}
	u.is(want[0].Val, domain.LogProb)
	u.is(want[1].Val, domain.LogProb)
}

// signed is a term of a sum.
type signed struct {
	*Val
	sign int
}

func signedTerms(out []signed, v *Val, sign, depth int) []signed {
	x := Strip(v)
	switch {
	case depth > 0 && isOp(x, "neg") && len(x.In) > 0:
		return signedTerms(out, x.In[0], -sign, depth-1)
	case depth > 0 && isOp(x, "add", "sub") && len(x.In) == 2 && x.In[0] != nil && x.In[1] != nil:
		second := sign
		if isOp(x, "sub") {
			second = -sign
		}
		return signedTerms(signedTerms(out, x.In[0], sign, depth-1), x.In[1], second, depth-1)
	}
	return append(out, signed{v, sign})
}

// surrogate takes the two sides of min(r*A, clip(r)*A).
func (u *usage) surrogate(plain, clipped *Val) {
	fp, fc := factors(plain), factors(clipped)
	if len(fp) != 2 || len(fc) != 2 {
		return
	}
	for i, c := range fc {
		if !isOp(c, "clamp", "clip") || len(c.In) < 3 || !belowOne(c.In[1]) || !aboveOne(c.In[2]) {
			continue
		}
		for j, r := range fp {
			if SameSource(r, c.In[0]) && isExponential(r) && u.same(fp[1-j], fc[1-i]) {
				u.is(fp[1-j], domain.Advantage)
			}
		}
	}
}

func isExponential(v *Val) bool {
	for range exponentials(v) {
		return true
	}
	return false
}

// factors are the two factors of a product, signs aside.
func factors(v *Val) []*Val {
	v = unsigned(Strip(v))
	if !isOp(v, "mul") || len(v.In) != 2 || v.In[0] == nil || v.In[1] == nil {
		return nil
	}
	return []*Val{unsigned(Strip(v.In[0])), unsigned(Strip(v.In[1]))}
}

func unsigned(v *Val) *Val {
	for isOp(v, "neg") && len(v.In) > 0 && v.In[0] != nil {
		v = Strip(v.In[0])
	}
	return v
}

// maskedMean takes sum(x*m) / sum(m), the denominator kept from 0 or not.
func (u *usage) maskedMean(above, below *Val) {
	above, below = Strip(above), Strip(below)
	if isOp(below, "clamp", "clip", "clamp_min", "add", "maximum", "max") && len(below.In) > 0 && !isOp(below, "sum") {
		below = Strip(below.In[0])
	}
	if !isOp(above, "sum") || !isOp(below, "sum") || len(above.In) == 0 || len(below.In) == 0 {
		return
	}
	product := Strip(above.In[0])
	if !isOp(product, "mul") || len(product.In) != 2 {
		return
	}
	for _, m := range product.In {
		if u.same(m, below.In[0]) {
			u.is(m, domain.Mask)
		}
	}
}

// belowOne reports whether a bound of a clip is written as one below 1: 0.8, or 1 - e.
func belowOne(v *Val) bool {
	if x, ok := v.Float(); ok {
		return UnderOne(x)
	}
	return offset(v, "sub")
}

// aboveOne reports whether a bound is written as one above 1: 1.2, or 1 + e.
func aboveOne(v *Val) bool {
	if x, ok := v.Float(); ok {
		return OverOne(x)
	}
	return offset(v, "add")
}

func offset(v *Val, op string) bool {
	v = Strip(v)
	if !isOp(v, op) || len(v.In) != 2 {
		return false
	}
	one := func(x *Val) bool { c, ok := x.Float(); return ok && c == 1 }
	return one(v.In[0]) || op == "add" && one(v.In[1])
}

// UnderOne reports whether a number may be the lower bound of a clipped ratio, as 0.8 is.
func UnderOne(x float64) bool { return 0 < x && x <= 1 }

// OverOne reports whether a number may be the upper bound of a clipped ratio, as 1.2 is; a
// higher one only keeps an exponential finite.
func OverOne(x float64) bool { return 1 <= x && x <= 3 }
