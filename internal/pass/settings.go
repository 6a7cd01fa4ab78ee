package pass

import (
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
		return slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "default" && isSetNumber(k.Value) }) && r.unreadAttr(m)
	}
	return false
}

// isSetNumber reports whether an expression is a number other than 0.
func isSetNumber(e ast.Expr) bool {
	n, ok := e.(*ast.Number)
	return ok && strings.Trim(n.Text, "0._") != "" && !strings.ContainsAny(n.Text, "jJ")
}

// prescribed reports whether a parameter is there because something else wants it: a method
// that overrides another, a function that is handed around, a body that does nothing.
func (r *readers) prescribed(m Mention) bool {
	if !slices.ContainsFunc(m.Func.Body, does) || m.Class != nil && m.Func.Name != "__init__" && len(m.Class.Bases) > 0 && r.overrides(m) {
		return true
	}
	return slices.ContainsFunc(r.p.MentionsOf(m.Func.Name), func(x Mention) bool {
		call := callOver(x)
		return (x.How == Read || x.How == Attr) && (call == nil || call.Fun != x.Node)
	})
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

// takers are Python's and its libraries' ways to read all settings of a record at once.
var takers = Matching(func(name string) bool {
	return slices.Contains([]string{"vars", "asdict", "__dict__", "fields", "astuple", "model_dump", "to_dict"}, name)
})

// takenApart reports whether something may read a setting without naming it: not what is
// called on a record of the program that has no such field.
func (r *readers) takenApart(name string) bool {
	has := func(v *infer.Val) bool {
		o, ok := v.Ref.(*infer.Instance)
		return !ok || !o.Class.Record || slices.ContainsFunc(o.Class.Fields, func(x infer.Field) bool { return SettingName(x.Name) == name })
	}
	return slices.ContainsFunc(r.p.Mentions(takers), func(m Mention) bool {
		if m.Logged || m.How != Read && m.How != Attr {
			return false
		}
		call := callOver(m)
		if call == nil || len(call.Args) != 1 || call.Fun != m.Node {
			return true
		}
		if isSelf(m, call.Args[0]) && len(m.Class.Bases) == 0 {
			return declares(m.Class, name)
		}
		of := r.valuesOf(m, call.Args[0])
		return len(of) == 0 || slices.ContainsFunc(of, has)
	})
}

// isSelf reports whether an expression next to a mention is the object whose method it stands in.
func isSelf(m Mention, e ast.Expr) bool {
	name, ok := e.(*ast.Name)
	return ok && m.Class != nil && m.Func != nil && m.Func.Params != nil && len(m.Func.Params.List) > 0 && m.Func.Params.List[0].Name == name.Ident
}

// declares reports whether the body of a class, or a method of it, has a field of a name.
func declares(c *ast.ClassDef, name string) bool {
	found := false
	ast.Walk(c, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			found = found || SettingName(n.Ident) == name
		case *ast.Attribute:
			found = found || SettingName(n.Attr) == name
		}
		return !found
	})
	return found
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
	if len(m.Parents) == 0 {
		return nil
	}
	call, _ := m.Parents[0].(*ast.Call)
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
