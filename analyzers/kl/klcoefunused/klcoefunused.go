// Package klcoefunused is rule KL017, kl-coef-unused; rule.md says what it finds.
package klcoefunused

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports coefficients of a KL term that nothing reads.
var Analyzer = pass.Rule(Doc, run)

var (
	coefficients = pass.Matching(isCoefficient)
	priorities   = pass.Matching(func(name string) bool { return strings.Contains(strings.ToLower(name), "priorit") })
)

func run(p *pass.Pass) {
	if len(p.Roles.Backwards) == 0 || !knowsKL(p) {
		return
	}
	c := &checker{p: p, mentions: p.Mentions(coefficients), byName: map[string][]pass.Mention{}}
	for _, m := range c.mentions {
		c.byName[normal(m.Name)] = append(c.byName[normal(m.Name)], m)
		if !slices.Contains(c.modules, m.Module) {
			c.modules = append(c.modules, m.Module)
		}
	}
	for _, m := range c.mentions {
		if c.unread(m) && (!isBeta(m) || c.isOfKL(m)) {
			p.Report(finding(m))
		}
	}
}

// knowsKL reports whether the program computes a KL, or evaluates a reference.
func knowsKL(p *pass.Pass) bool {
	for _, v := range p.OfKind(domain.KL) {
		if v.Q.Evidence != domain.NameOnly {
			return true
		}
	}
	for _, v := range p.Made("sub", "add") {
		if p.See(v).IsDivergence() {
			return true
		}
	}
	return len(p.Roles.References()) > 0
}

// isOfKL reports whether a beta is likely to be the coefficient: the function that
// takes it meets a KL, and no other beta is about, such as that of prioritised replay.
func (c *checker) isOfKL(m pass.Mention) bool {
	if len(c.p.Mentions(priorities)) > 0 {
		return false
	}
	if m.How != pass.Parameter || hasNeighbour(m, "kl") || hasNeighbour(m, "ref") {
		return true
	}
	for f := range c.p.EachFrame {
		if f.Func == nil || f.Func.Def != m.Func {
			continue
		}
		for v := range f.Each {
			if slices.ContainsFunc(slices.Concat(v.In, []*infer.Val{v}), func(x *infer.Val) bool { return x.Is(domain.KL | domain.LogRatio) }) {
				return true
			}
		}
	}
	return false
}

// normal is a name as options and attributes share it.
func normal(name string) string { return strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_") }

// isCoefficient reports whether a name is that of the weight of a KL term. Here
// the name is the subject: a setting means what it is called.
func isCoefficient(name string) bool {
	name = strings.ToLower(normal(name))
	if name == "beta" {
		return true
	}
	parts := strings.Split(name, "_")
	if !slices.Contains(parts, "kl") || slices.ContainsFunc(parts, func(w string) bool { return notWeights[w] }) {
		return false
	}
	return slices.ContainsFunc(parts, func(w string) bool { return weights[w] })
}

var (
	weights = map[string]bool{
		"coef": true, "coeff": true, "coefficient": true, "weight": true, "beta": true, "penalty": true, "lambda": true, "scale": true, "alpha": true,
	}
	notWeights = map[string]bool{"target": true, "type": true, "estimator": true, "use": true, "no": true, "max": true, "min": true, "horizon": true, "decay": true}
)

type checker struct {
	p        *pass.Pass
	mentions []pass.Mention
	byName   map[string][]pass.Mention
	modules  []*infer.Module
}

// unread reports whether m defines a coefficient that is a number and that
// nothing reads but logs.
func (c *checker) unread(m pass.Mention) bool {
	switch m.How {
	case pass.Parameter:
		return isSetting(m, true) && m.Func != nil && !forced(c.p, m) && c.unreadIn(m, m.Func)
	case pass.Bound:
		if !isSetting(m, false) {
			return false
		}
		return c.unreadIn(m, m.Func) && (m.Func != nil || c.unreadAttr(m.Module, m.Name))
	case pass.FieldOf:
		return isSetting(m, false) && ownRecord(c.p, m) && c.unreadAttr(m.Module, m.Name)
	case pass.Key:
		call := optionCall(m)
		return call != nil && isOption(call) && c.unreadAttr(m.Module, normal(m.Name))
	}
	return false
}

// isSetting reports whether the definition is of a number other than 0: a
// coefficient of 0 is no penalty, as Dr. GRPO and DAPO want it. A parameter may
// have no default.
func isSetting(m pass.Mention, bare bool) bool {
	if m.Value == nil {
		return bare && !isBeta(m) || bare && hasNeighbour(m, "kl")
	}
	return isWeight(m.Value)
}

func isBeta(m pass.Mention) bool { return normal(m.Name) == "beta" }

// hasNeighbour reports whether another parameter of the function is about KL: a
// beta without a default is a coefficient then.
func hasNeighbour(m pass.Mention, word string) bool {
	if m.Func == nil || m.Func.Params == nil {
		return false
	}
	return slices.ContainsFunc(m.Func.Params.List, func(q *ast.Param) bool {
		return slices.Contains(strings.Split(strings.ToLower(q.Name), "_"), word)
	})
}

func isWeight(e ast.Expr) bool {
	n, ok := e.(*ast.Number)
	return ok && strings.Trim(n.Text, "0._") != "" && !strings.ContainsAny(n.Text, "jJ")
}

// forced reports whether a parameter is there because something else wants it: a
// method that overrides another, a function that is handed around, a body that
// does nothing.
func forced(p *pass.Pass, m pass.Mention) bool {
	body := m.Func.Body
	if len(body) == 0 || !slices.ContainsFunc(body, does) {
		return true
	}
	if m.Class != nil && m.Func.Name != "__init__" && len(m.Class.Bases) > 0 {
		return true
	}
	handed := p.MentionsOf(m.Func.Name)
	return slices.ContainsFunc(handed, func(x pass.Mention) bool {
		if x.How != pass.Read && x.How != pass.Attr {
			return false
		}
		call, ok := firstParent(x).(*ast.Call)
		return !ok || call.Fun != x.Node
	})
}

// does reports whether a statement is more than a docstring, pass or raise.
func does(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.Pass, *ast.Raise:
		return false
	case *ast.ExprStmt:
		switch st.X.(type) {
		case *ast.String, *ast.Constant:
			return false
		}
	}
	return true
}

func firstParent(m pass.Mention) ast.Node {
	if len(m.Parents) == 0 {
		return nil
	}
	return m.Parents[0]
}

// unreadIn reports whether a variable is not read in a function, or in a module
// for nil. What is only stored in an attribute is followed there.
func (c *checker) unreadIn(m pass.Mention, fn *ast.FunctionDef) bool {
	for _, r := range c.byName[normal(m.Name)] {
		if r.How != pass.Read || r.Module != m.Module || r.Logged || fn != nil && !fn.Span().Covers(r.Node.Span()) {
			continue
		}
		attr, stored := storedIn(r)
		if !stored || !isCoefficient(attr) || !c.unreadAttr(m.Module, attr) {
			return false
		}
	}
	return !c.inText(m)
}

// inText reports whether a module constant may be imported by a file that was
// not evaluated.
func (c *checker) inText(m pass.Mention) bool {
	return m.Func == nil && c.p.MentionedElsewhere(m.Module, m.Name, c.modules)
}

// storedIn returns the attribute that a read is assigned to, and nothing else: alone, or
// as one of several.
func storedIn(r pass.Mention) (attr string, ok bool) {
	parent, value := firstParent(r), ast.Node(r.Node)
	values, several := parent.(*ast.Tuple)
	if several && len(r.Parents) > 1 {
		parent, value = r.Parents[1], values
	}
	as, ok := parent.(*ast.Assign)
	if !ok || as.Value != value || len(as.Targets) != 1 {
		return "", false
	}
	target := as.Targets[0]
	if several {
		targets, ok := as.Targets[0].(*ast.Tuple)
		i := slices.IndexFunc(values.Elts, func(e ast.Expr) bool { return e == r.Node })
		if !ok || i < 0 || len(targets.Elts) != len(values.Elts) {
			return "", false
		}
		target = targets.Elts[i]
	}
	at, ok := target.(*ast.Attribute)
	if !ok {
		return "", false
	}
	return at.Attr, true
}

// unreadAttr reports whether no attribute of that name is read in the program,
// and nothing takes whole records or namespaces apart.
func (c *checker) unreadAttr(of *infer.Module, name string) bool {
	name = normal(name)
	for _, r := range c.byName[name] {
		switch {
		case r.Logged:
		case r.How == pass.Attr, r.How == pass.Key && optionCall(r) == nil, r.How == pass.Passed && !isWeight(r.Value) && !c.known(r):
			return false
		}
	}
	return !c.p.MentionedElsewhere(of, name, c.modules) && !c.takenApart(name)
}

// known reports whether a keyword argument goes to a function or class of the
// program, whose own parameter is judged for itself.
func (c *checker) known(r pass.Mention) bool {
	call, ok := firstParent(r).(*ast.Call)
	if !ok {
		return false
	}
	for f := range c.p.EachFrame {
		v := f.Val(call.Fun)
		if v == nil || f.Module != r.Module {
			continue
		}
		switch v.Ref.(type) {
		case *infer.FuncRef, *infer.ClassRef:
			return true
		}
	}
	return false
}

// takers are the names of what reads all settings of a record.
var takers = pass.Matching(func(name string) bool {
	return slices.Contains([]string{"vars", "asdict", "__dict__", "fields", "astuple", "model_dump", "to_dict"}, name)
})

// takenApart reports whether something may read a setting without naming it.
func (c *checker) takenApart(name string) bool {
	list := c.p.Mentions(takers)
	return slices.ContainsFunc(list, func(m pass.Mention) bool {
		return !m.Logged && (m.How == pass.Read || m.How == pass.Attr) && !c.ofAnother(m, name)
	})
}

// ofAnother reports whether a mention is a call on a record of the program that has no
// such setting: fields(batch).
func (c *checker) ofAnother(m pass.Mention, name string) bool {
	call, ok := firstParent(m).(*ast.Call)
	if !ok || len(call.Args) != 1 || call.Fun != m.Node {
		return false
	}
	known := false
	for f := range c.p.EachFrame {
		v := f.Val(call.Args[0])
		if v == nil || f.Module != m.Module {
			continue
		}
		o, ok := v.Ref.(*infer.Instance)
		if !ok || !o.Class.Record || slices.ContainsFunc(o.Class.Fields, func(x infer.Field) bool { return normal(x.Name) == name }) {
			return false
		}
		known = true
	}
	return known
}

// optionCall is the call of add_argument that a text stands in, or nil.
func optionCall(m pass.Mention) *ast.Call {
	if m.How != pass.Key {
		return nil
	}
	call, ok := firstParent(m).(*ast.Call)
	if !ok {
		return nil
	}
	if at, ok := call.Fun.(*ast.Attribute); ok && at.Attr == "add_argument" {
		return call
	}
	return nil
}

// isOption reports whether an option takes a number other than 0.
func isOption(call *ast.Call) bool {
	for _, k := range call.Keywords {
		if k.Name == "default" {
			return isWeight(k.Value)
		}
	}
	return false
}

// ownRecord reports whether a field belongs to a class that no library reads.
func ownRecord(p *pass.Pass, m pass.Mention) bool {
	for _, o := range p.Values.Instances {
		if o.Class.Def == m.Class {
			return !slices.ContainsFunc(o.Class.LibBases, func(b string) bool { return b != "typing.NamedTuple" && b != "builtins.object" }) && !handed(p, o)
		}
	}
	return false
}

// handed reports whether something unknown takes a record.
func handed(p *pass.Pass, o *infer.Instance) bool {
	for v := range p.Each {
		if p.IsOpaque(v) && slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x != nil && x.Ref == infer.Ref(o) }) {
			return true
		}
	}
	return false
}

func finding(m pass.Mention) pass.Finding {
	at := m.Node
	if call := optionCall(m); call != nil {
		at = call
	}
	return pass.Finding{
		At: at, Frame: m.Frame, Evidence: domain.Derived,
		Message: fmt.Sprintf("KL coefficient `%s` is never used", normal(m.Name)),
	}
}
