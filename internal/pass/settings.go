package pass

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// UnreadSettings lists where the program defines settings of names that match, as numbers other
// than 0, that nothing reads but logs. Python finds variables, attributes, keywords and options
// by their names, and so does this: what cannot be told apart counts as read.
func (p *Pass) UnreadSettings(names *Matcher) []Mention {
	r := &readers{p: p, mentions: p.Mentions(names)}
	for _, m := range r.mentions {
		if !slices.Contains(r.modules, m.Module) {
			r.modules = append(r.modules, m.Module)
		}
	}
	return slices.DeleteFunc(slices.Clone(r.mentions), func(m Mention) bool { return !r.unread(m) })
}

// SettingName is a name as the options, parameters and attributes of one setting share it.
func SettingName(name string) string {
	return strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_")
}

// Definition is the node that defines a setting: of an option the call that declares it,
// of an entry of a dict what it holds.
func (m *Mention) Definition() ast.Node {
	if call := optionCall(*m); call != nil {
		return call
	}
	if _, value := entryOf(*m); value != nil {
		return value
	}
	return m.Node
}

// Number is what the program sets a setting to where it defines it, if that is written as a number.
func (m *Mention) Number() (float64, bool) {
	value := m.Value
	if call := optionCall(*m); call != nil {
		value = nil
		for _, k := range call.Keywords {
			if k.Name == "default" {
				value = k.Value
			}
		}
	} else if _, entry := entryOf(*m); entry != nil {
		value = entry
	}
	n, ok := value.(*ast.Number)
	if !ok {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
	return x, err == nil
}

// readers tells which settings nothing reads.
type readers struct {
	p        *Pass
	mentions []Mention
	modules  []*infer.Module // where the mentions stand
	handed   map[*infer.DictRef]bool
	out      *bool        // handedOut
	mapped   []*infer.Val // givenMappings
}

// unread reports whether m defines such a setting. One of 0 is switched off: no penalty, as
// Dr. GRPO and DAPO want it.
func (r *readers) unread(m Mention) bool {
	switch m.How {
	case Parameter: // it may have no default
		return (m.Value == nil || isSetNumber(m.Value)) && m.Func != nil && !r.prescribed(m) && r.unreadIn(m)
	case Bound:
		return (isSetNumber(m.Value) || r.takes(m)) && r.unreadIn(m) && (m.Func != nil || r.unreadAttr(m))
	case AttrSet:
		return r.takes(m) && r.ownClass(m.Class) != nil && r.unreadAttr(m)
	case FieldOf:
		return isSetNumber(m.Value) && r.ownRecord(m) && r.unreadAttr(m)
	case Passed:
		return r.unreadEntry(m)
	case Key:
		call := optionCall(m)
		if call == nil {
			return r.unreadEntry(m)
		}
		return isDestination(call, m) && slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "default" && isSetNumber(k.Value) }) && r.unreadAttr(m)
	}
	return false
}

// isSetNumber reports whether an expression is a number other than 0.
func isSetNumber(e ast.Expr) bool {
	n, ok := e.(*ast.Number)
	return ok && strings.Trim(n.Text, "0._") != "" && !strings.ContainsAny(n.Text, "jJ")
}

// prescribed reports whether a parameter is there because something else wants it: a method
// that overrides another, a function that is handed around, a class that stands beside another of which one is chosen, a body that does nothing.
func (r *readers) prescribed(m Mention) bool {
	if !slices.ContainsFunc(m.Func.Body, does) || m.Class != nil && m.Func.Name != "__init__" && len(m.Class.Bases) > 0 && r.overrides(m) ||
		m.Class != nil && m.Func.Name == "__init__" && r.exchanged(m) {
		return true
	}
	return slices.ContainsFunc(r.p.MentionsOf(m.Func.Name), func(x Mention) bool {
		call := callOver(x)
		return (x.How == Read || x.How == Attr) && (call == nil || call.Fun != x.Node)
	})
}

// exchanged reports whether a constructor's class stands in a table or a choice beside another, whose constructor has the parameter too: what
// makes an object of one of them passes the same to each.
func (r *readers) exchanged(m Mention) bool {
	for v := range r.p.Each {
		var options []*infer.Val
		switch o := v.Ref.(type) {
		case *infer.DictRef:
			options = slices.Collect(maps.Values(o.Fields))
		case *infer.SeqRef:
			options = o.Elems
		default:
			if v.IsOp(infer.OpPhi) {
				options = v.In
			}
		}
		mine, others := false, false
		for _, x := range options {
			if c := classOf(x); c != nil && c.Def == m.Class {
				mine = true
			} else if c != nil {
				others = others || hasParam(c, m.Name)
			}
		}
		if mine && others {
			return true
		}
	}
	return false
}

// classOf is the class that a value is; nil where it is something else.
func classOf(v *infer.Val) *infer.ClassRef {
	if v == nil {
		return nil
	}
	c, _ := v.Ref.(*infer.ClassRef)
	return c
}

// hasParam reports whether the constructor of a class has a parameter of a name.
func hasParam(c *infer.ClassRef, name string) bool {
	init := c.Lookup("__init__")
	if init == nil {
		return false
	}
	f, ok := init.Ref.(*infer.FuncRef)
	return ok && f.Def != nil && slices.ContainsFunc(f.Def.Params.List, func(q *ast.Param) bool { return q.Name == name })
}

// overrides reports whether a method is, or may be, one of several that share their parameters: a base class
// has it, or may have it, or another class of the program has one like it.
func (r *readers) overrides(m Mention) bool {
	if slices.ContainsFunc(r.mentions, func(x Mention) bool {
		return x.How == Parameter && x.Name == m.Name && x.Func != nil && x.Func != m.Func && x.Func.Name == m.Func.Name
	}) {
		return true
	}
	c := r.ownClass(m.Class)
	return c == nil || slices.ContainsFunc(c.Bases, func(b *infer.ClassRef) bool { return b.Lookup(m.Func.Name) != nil })
}

// ownClass is a class by its definition; nil where none of its methods was evaluated, or where it derives from
// one that may call its methods and read its attributes without being seen.
func (r *readers) ownClass(def *ast.ClassDef) *infer.ClassRef {
	for f := range r.p.EachFrame {
		if f.Func == nil || f.Func.Class == nil || f.Func.Class.Def != def {
			continue
		}
		if roles.IsForeign(f.Func.Class) {
			break
		}
		return f.Func.Class
	}
	return nil
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

// unreadIn reports whether a variable is not read in its function, or in its module. What is
// only stored in an attribute is followed there.
func (r *readers) unreadIn(m Mention) bool {
	for _, x := range r.mentions {
		if x.How != Read || x.Name != m.Name || x.Module != m.Module || x.Logged || m.Func != nil && !m.Func.Span().Covers(x.Node.Span()) {
			continue
		}
		if to := r.storedIn(x); to == nil || !r.unreadAttr(*to) {
			return false
		}
	}
	if r.scopeTaken(m) {
		return false
	}
	return m.Func != nil || !r.p.MentionedElsewhere(m.Module, m.Name, r.modules)
}

// storedIn is the attribute that what is read at a mention is stored in, and nothing else is done with it; or nil.
func (r *readers) storedIn(x Mention) *Mention {
	i := slices.IndexFunc(r.mentions, func(to Mention) bool { return to.How == AttrSet && ast.Node(to.Value) == x.Node })
	if i < 0 {
		return nil
	}
	return &r.mentions[i]
}

// takes reports whether what is stored at a mention is such a setting of an object of settings: what the latter
// holds may stand in another file.
func (r *readers) takes(m Mention) bool {
	isMention := func(x Mention) bool { return x.How == Attr && x.Node == ast.Node(m.Value) }
	return slices.ContainsFunc(r.mentions, isMention) && slices.ContainsFunc(r.valuesOf(m, m.Value), roles.IsSettingOf)
}

// unreadAttr reports whether no attribute of a name is read in the program, and nothing takes
// whole records or namespaces apart.
func (r *readers) unreadAttr(m Mention) bool {
	name := SettingName(m.Name)
	for _, x := range r.mentions {
		if SettingName(x.Name) != name || x.Logged {
			continue
		}
		switch x.How {
		case Attr:
			if to := r.storedIn(x); to == nil || SettingName(to.Name) != name {
				return false
			}
		case Key:
			if optionCall(x) == nil {
				return false
			}
		case Passed: // a function of the program has a parameter that is judged for itself
			if !isSetNumber(x.Value) && !r.entered(x) {
				return false
			}
		}
	}
	return !r.p.MentionedElsewhere(m.Module, name, r.modules) && !r.takenApart(name)
}

// entered reports whether a keyword goes to a function or class of the program.
func (r *readers) entered(x Mention) bool {
	call := callOver(x)
	return call != nil && slices.ContainsFunc(r.valuesOf(x, call.Fun), func(v *infer.Val) bool {
		switch v.Ref.(type) {
		case *infer.FuncRef, *infer.ClassRef:
			return true
		}
		return false
	})
}

// valuesOf is what an expression next to a mention is, in all evaluations.
func (r *readers) valuesOf(m Mention, e ast.Expr) (out []*infer.Val) {
	for f := range r.p.EachFrame {
		if f.Module == m.Module && f.Val(e) != nil {
			out = append(out, f.Val(e))
		}
	}
	return out
}

// isSelf reports whether an expression next to a mention is the object whose method it stands in.
func isSelf(m Mention, e ast.Expr) bool {
	name, ok := e.(*ast.Name)
	return ok && m.Class != nil && m.Func != nil && m.Func.Params != nil && len(m.Func.Params.List) > 0 && m.Func.Params.List[0].Name == name.Ident
}

// ownRecord reports whether a field belongs to a class that no library reads, and no object of
// which goes to something unknown.
func (r *readers) ownRecord(m Mention) bool {
	for _, o := range r.p.Values.Instances {
		if o.Class.Def != m.Class {
			continue
		}
		for v := range r.p.Each {
			if r.p.IsOpaque(v) && slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x != nil && x.Ref == infer.Ref(o) }) {
				return false
			}
		}
		return !slices.ContainsFunc(o.Class.LibBases, func(b string) bool { return b != "typing.NamedTuple" && b != "builtins.object" })
	}
	return false
}

// callOver is the call that a mention stands in directly, or nil.
func callOver(m Mention) *ast.Call {
	call, _ := m.Parent().(*ast.Call)
	return call
}

// optionCall is the call of add_argument that a text stands in, or nil.
func optionCall(m Mention) *ast.Call {
	if call := callOver(m); call != nil && m.How == Key {
		if at, ok := call.Fun.(*ast.Attribute); ok && at.Attr == "add_argument" {
			return call
		}
	}
	return nil
}

// isDestination reports whether an option is read by the name that stands at a mention: argparse goes by the first long spelling,
// and by what `dest` says.
func isDestination(call *ast.Call, m Mention) bool {
	if slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "dest" || k.Name == "" }) {
		return false
	}
	first := ""
	for _, a := range call.Args {
		text, ok := a.(*ast.String)
		if !ok {
			return false
		}
		if first == "" || strings.HasPrefix(text.Value, "--") && !strings.HasPrefix(first, "--") {
			first = text.Value
		}
	}
	return first == m.Name
}

// Readings lists where settings of names that match are read for more than a log, and for more than to hand them to the setting m, or to
// keep them where nothing reads them: what a run may go by in the place of m, which nothing reads.
func (p *Pass) Readings(names *Matcher, m Mention) []Mention {
	r := &readers{p: p, mentions: p.Mentions(names)}
	for _, x := range r.mentions {
		if !slices.Contains(r.modules, x.Module) {
			r.modules = append(r.modules, x.Module)
		}
	}
	return slices.DeleteFunc(slices.Clone(r.mentions), func(x Mention) bool {
		switch {
		case x.Logged || x.How == Key && optionCall(x) != nil:
			return true
		case x.How == Key:
			entry, _ := entryOf(x)
			return entry != nil
		case x.How != Read && x.How != Attr:
			return true
		}
		to := r.storedIn(x)
		return to != nil && r.unreadAttr(*to) || r.goesTo(x, m)
	})
}

// goesTo reports whether what is read at a mention is an argument of the function that m is a parameter of.
func (r *readers) goesTo(x, m Mention) bool {
	if m.How != Parameter || len(x.Parents) == 0 {
		return false
	}
	call, _ := x.Parents[0].(*ast.Call)
	if k, ok := x.Parents[0].(*ast.Keyword); ok && k.Name == m.Name && len(x.Parents) > 1 {
		call, _ = x.Parents[1].(*ast.Call)
	}
	return call != nil && slices.ContainsFunc(r.valuesOf(x, call.Fun), func(v *infer.Val) bool {
		switch o := v.Ref.(type) {
		case *infer.FuncRef:
			return o.Def == m.Func
		case *infer.ClassRef:
			return o.Def == m.Class
		}
		return false
	})
}

// NumbersOf are the numbers that an expression at a mention is in the evaluations of it; known says that it is a number in all of them.
func (p *Pass) NumbersOf(x Mention) (numbers []float64, known bool) {
	e, ok := x.Node.(ast.Expr)
	if !ok || x.How == Key {
		return nil, false
	}
	known = true
	for _, v := range (&readers{p: p}).valuesOf(x, e) {
		n, ok := v.Float()
		if known = known && ok; ok && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers, known && len(numbers) > 0
}
