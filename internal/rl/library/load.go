package library

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

//go:embed *.toml
var tables embed.FS

// document is one table file.
type document struct {
	name string
	text []byte
}

// embedded returns the built-in files in a fixed order.
func embedded() []document {
	entries, err := tables.ReadDir(".")
	if err != nil {
		panic(err)
	}
	var docs []document
	for _, e := range entries {
		text, err := tables.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		docs = append(docs, document{name: e.Name(), text: text})
	}
	return docs
}

// loader collects the table from the files.
type loader struct {
	t       *Table
	doc     document
	sources map[string]rowSource // every fn row, for like
	hidden  map[string]bool
	pending []pendingReturn
	aliases map[string][]string // every name of a row
}

// pendingReturn is a row whose result is an instance of a class that may not
// be loaded yet.
type pendingReturn struct {
	fn    *Func
	class string
}

// parse builds a table. The error names file and line.
func parse(docs []document) (*Table, error) {
	t := &Table{
		funcs: map[string]*Func{}, methods: map[string]*Func{}, attrs: map[string]*Func{},
		operators: map[string]*Func{}, classes: map[string]*Class{}, roots: map[string]bool{}, noGraph: map[string]bool{},
		environments: specifications{named: map[string]*Environment{}, games: map[string]int64{}},
	}
	l := &loader{t: t, sources: map[string]rowSource{}, hidden: map[string]bool{}, aliases: map[string][]string{}}
	files := make([]fileSource, len(docs))
	for i, d := range docs {
		if err := decode(d, &files[i]); err != nil {
			return nil, err
		}
		l.declare(files[i])
	}
	for _, step := range []func(fileSource) error{l.functions, l.overloads, l.attributes, l.classes, l.bases, l.returns, l.names, l.scorings, l.templates, l.environments} {
		for i, d := range docs {
			l.doc = d
			if err := step(files[i]); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// decode reads one file; unknown keys are errors.
func decode(d document, into *fileSource) error {
	dec := toml.NewDecoder(bytes.NewReader(d.text)).DisallowUnknownFields()
	err := dec.Decode(into)
	var strict *toml.StrictMissingError
	var syntax *toml.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &strict):
		row, _ := strict.Errors[0].Position()
		return fmt.Errorf("%s:%d: unknown key %q", d.name, row, strings.Join(strict.Errors[0].Key(), "."))
	case errors.As(err, &syntax):
		row, _ := syntax.Position()
		return fmt.Errorf("%s:%d: %w", d.name, row, err)
	}
	return fmt.Errorf("%s: %w", d.name, err)
}

// declare notes the parts that other files refer to.
func (l *loader) declare(f fileSource) {
	for _, r := range f.Roots {
		l.t.roots[r] = true
	}
	for _, m := range f.NotOnAny {
		l.hidden[m] = true
	}
	for _, name := range f.NoGraph {
		l.t.noGraph[name] = true
	}
	maps.Copy(l.sources, f.Fn)
}

// fail returns an error at the line where a table of that name is headed.
func (l *loader) fail(name string, err error) error {
	line := 1
	if i := bytes.Index(l.doc.text, []byte(name)); i >= 0 {
		line += bytes.Count(l.doc.text[:i], []byte("\n"))
	}
	return fmt.Errorf("%s:%d: %s: %w", l.doc.name, line, name, err)
}

// functions loads the fn rows.
func (l *loader) functions(f fileSource) error {
	for _, name := range sorted(f.Fn) {
		fn, err := l.row(name, f.Fn[name])
		if err != nil {
			return l.fail(name, err)
		}
		if err := l.register(fn, f.Fn[name]); err != nil {
			return l.fail(name, err)
		}
	}
	return nil
}

// register enters a row under its name, aliases, method, in-place and
// operator forms.
func (l *loader) register(fn *Func, src rowSource) error {
	l.t.rows = append(l.t.rows, fn)
	names := append([]string{fn.Name}, src.Alias...)
	if src.Since != "" {
		names[0] += "@" + src.Since
	}
	if src.Method {
		names = append(names, "torch.Tensor."+base(fn.Name))
	}
	for _, n := range names {
		if err := l.enter(n, fn, false); err != nil {
			return err
		}
		if src.InPlace && strings.HasPrefix(n, "torch.Tensor.") {
			n, since, newer := strings.Cut(n, "@")
			if n += "_"; newer {
				n += "@" + since
			}
			if err := l.enter(n, fn, true); err != nil {
				return err
			}
		}
	}
	if src.Op != "" {
		if l.t.operators[src.Op] != nil {
			return fmt.Errorf("operator %q is defined twice", src.Op)
		}
		l.t.operators[src.Op] = fn
	}
	return nil
}

// base returns the last component of a dotted name.
func base(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// receivers are the classes whose methods are looked up on unknown receivers;
// where both have one, it is the tensor's.
var receivers = []string{"torch.Tensor.", "numpy.ndarray."}

// enter registers one name of a row. A name that only newer versions of the
// library have is written NAME@VERSION.
func (l *loader) enter(name string, fn *Func, inPlace bool) error {
	name, since, newer := strings.Cut(name, "@")
	if l.t.funcs[name] != nil {
		return fmt.Errorf("name %q is defined twice", name)
	}
	l.aliases[fn.Name] = append(l.aliases[fn.Name], name)
	if newer {
		m := *fn
		m.Since = since
		fn = &m
	}
	for _, r := range receivers {
		if method, ok := strings.CutPrefix(name, r); ok {
			m := *fn
			m.Receiver = true
			m.InPlace = inPlace || strings.HasSuffix(method, "_") && !strings.HasSuffix(method, "__")
			fn = &m
			if !l.hidden[method] && (l.t.methods[method] == nil || r == receivers[0]) {
				l.t.methods[method] = fn
			}
		}
	}
	l.t.funcs[name] = fn
	return nil
}

// overloads links rows to their forms for two arguments, once every file's
// functions are known.
func (l *loader) overloads(f fileSource) error {
	for _, name := range sorted(f.Fn) {
		target, pair := f.Fn[name].Tensor2, false
		if target == "" {
			target, pair = f.Fn[name].Pair, true
		}
		if target == "" {
			continue
		}
		to := l.t.funcs[target]
		if to == nil {
			return l.fail(name, fmt.Errorf("second form names no row: %q", target))
		}
		for _, alias := range l.aliases[name] {
			l.t.funcs[alias].second, l.t.funcs[alias].anySecond = to, pair
		}
	}
	return nil
}

// attributes loads attributes and the methods that tell by name alone.
func (l *loader) attributes(f fileSource) error {
	for _, name := range sorted(f.Attr) {
		fn, err := l.row(name, f.Attr[name])
		if err != nil {
			return l.fail(name, err)
		}
		fn.Receiver = true
		if l.t.attrs[base(name)] != nil {
			return l.fail(name, fmt.Errorf("attribute %q is defined twice", base(name)))
		}
		l.t.attrs[base(name)] = fn
		l.t.rows = append(l.t.rows, fn)
	}
	for _, name := range sorted(f.Method) {
		fn, err := l.row(name, f.Method[name])
		if err != nil {
			return l.fail(name, err)
		}
		fn.Receiver = true
		fn.evidence = domain.NameOnly
		if l.t.methods[name] != nil {
			return l.fail(name, fmt.Errorf("method %q is defined twice", name))
		}
		l.t.methods[name] = fn
		l.t.rows = append(l.t.rows, fn)
	}
	return nil
}

// classes loads the classes without their bases.
func (l *loader) classes(f fileSource) error {
	for _, name := range sorted(f.Class) {
		src := f.Class[name]
		c, err := l.class(name, src)
		if err != nil {
			return l.fail(name, err)
		}
		for _, n := range append([]string{name}, src.Alias...) {
			if l.t.classes[n] != nil || l.t.funcs[n] != nil {
				return l.fail(name, fmt.Errorf("name %q is defined twice", n))
			}
			l.t.classes[n] = c
		}
	}
	return nil
}

// class builds one class.
func (l *loader) class(name string, src classSource) (*Class, error) {
	kind, ok := domain.ParseKind(src.Kind)
	if !ok {
		return nil, fmt.Errorf("unknown kind %q of a class", src.Kind)
	}
	if src.Grad == "" && kind != domain.Distribution {
		src.Grad, src.Whose = "unknown", "unknown"
	}
	c := &Class{Name: name, Kind: kind, Params: src.Params, loss: src.Loss, Batches: src.Batches}
	if c.Configures, ok = configured[src.Configures]; !ok {
		return nil, fmt.Errorf("configures %q, which is neither sampling nor rollouts", src.Configures)
	}
	if src.Scores != "" {
		if c.Scores, ok = domain.ParseKind(src.Scores); !ok {
			return nil, fmt.Errorf("unknown kind %q in scores", src.Scores)
		}
	}
	var err error
	if c.New, err = l.row(name, src.rowSource); err != nil {
		return nil, err
	}
	l.t.rows = append(l.t.rows, c.New)
	if c.Call, err = l.callRow(name, src); err != nil {
		return nil, err
	}
	if c.methods, err = l.members(name, src.Methods); err != nil {
		return nil, err
	}
	if c.attrs, err = l.members(name, src.Attrs); err != nil || src.Hands == nil {
		return c, err
	}
	h := src.Hands
	c.Hands = &Hands{To: h.To, Position: h.Position, Unless: h.Unless, Optional: h.Optional}
	c.Hands.Batch, err = l.members(name+".batch", h.Batch)
	return c, err
}

// callRow returns what calling an instance does.
func (l *loader) callRow(name string, src classSource) (*Func, error) {
	if src.CallRow != nil {
		f, err := l.row(name+".__call__", *src.CallRow)
		if err == nil {
			l.t.rows = append(l.t.rows, f)
		}
		return f, err
	}
	if src.Call == "" {
		return nil, nil
	}
	f := l.t.funcs[src.Call]
	if f == nil {
		return nil, fmt.Errorf("call names no row: %q", src.Call)
	}
	return f, nil
}

// members builds the methods or attributes of a class, each under all of its names.
func (l *loader) members(class string, src map[string]rowSource) (map[string]*Func, error) {
	out := map[string]*Func{}
	for _, name := range sorted(src) {
		f, err := l.row(class+"."+name, src[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		f.Receiver = true
		l.t.rows = append(l.t.rows, f)
		for _, n := range append([]string{name}, src[name].Alias...) {
			if out[n] != nil {
				return nil, fmt.Errorf("member %q is defined twice", n)
			}
			out[n] = f
		}
	}
	return out, nil
}

// bases links classes to their bases.
func (l *loader) bases(f fileSource) error {
	for _, name := range sorted(f.Class) {
		c := l.t.classes[name]
		for _, b := range f.Class[name].Bases {
			base := l.t.classes[b]
			if base == nil || base == c {
				return l.fail(name, fmt.Errorf("base %q is no class of the tables", b))
			}
			c.bases = append(c.bases, base)
			if c.Call == nil {
				c.Call = base.Call
			}
		}
	}
	return nil
}

// returns links rows to the classes of their results.
func (l *loader) returns(f fileSource) error {
	for _, p := range l.pending {
		c := l.t.classes[p.class]
		if c == nil {
			return fmt.Errorf("%s: returns %q, which is no class of the tables", p.fn.Name, p.class)
		}
		p.fn.Returns = c
		for _, alias := range l.aliases[p.fn.Name] {
			l.t.funcs[alias].Returns = c
		}
	}
	l.pending = nil
	return nil
}

// names loads the lexicon.
func (l *loader) names(f fileSource) error {
	if f.Names == nil {
		return nil
	}
	lex, err := f.Names.build()
	if err != nil {
		return l.fail("[names", err)
	}
	l.t.lexicon = lex
	return nil
}

// sorted returns the keys in order, so that loading is deterministic.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
