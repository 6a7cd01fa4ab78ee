package pass

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rlvet/rlvet/internal/frameworks"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/runconf"
)

// runsInPython are those of the calls of a module that configure a trainer.
func runsInPython(src *Source, g *query.Graph) (out []Run) {
	if src.Runs != nil || len(src.AST.Body) == 0 {
		return nil
	}
	_, packages := frameworks.ImportedIn(src.AST)
	c := &callReader{src: src, tree: src.AST, g: g, calls: map[*ast.Call]*infer.Frame{}, stores: sync.OnceValue(func() []store { return storesIn(src.AST) }), imports: packages}
	for f := range g.EachFrame {
		if sourceOf(f.Module) != src {
			continue
		}
		for call := range query.In[*ast.Call](f) {
			if c.calls[call] == nil {
				c.order = append(c.order, call)
			}
			c.calls[call] = f // of several evaluations the last one; see value
		}
	}
	for _, call := range c.order {
		if t, row := frameworks.Calls(c.name(call), c.imports); row != nil && !c.rewritten(call) {
			out = append(out, Run{Run: c.run(t, row, call), Frame: c.calls[call]})
		}
	}
	return out
}

// callReader reads the calls of a module as configurations.
type callReader struct {
	src   *Source
	tree  *ast.Module
	g     *query.Graph
	calls map[*ast.Call]*infer.Frame
	order []*ast.Call
	// stores are the attributes and items that the module assigns.
	stores func() []store
	// imports are the packages that the module imports: some patch others.
	imports []string
}

// name is the qualified name of what is called, "" for what belongs to no library.
func (c *callReader) name(call *ast.Call) string {
	f := c.calls[call]
	switch of := infer.RefOf(f.Val(call.Fun)).(type) {
	case *infer.LibRef:
		return of.Name
	case *infer.ClassRef: // of the program, that derives from a configuration
		for _, base := range of.LibBases {
			if _, row := frameworks.Calls(base, c.imports); row != nil {
				return base
			}
		}
	}
	if at, ok := call.Fun.(*ast.Attribute); ok { // a method of a class, as Class.from_pretrained
		if class, ok := infer.RefOf(f.Val(at.X)).(*infer.LibRef); ok {
			return class.Name + "." + at.Attr
		}
	}
	return ""
}

func (c *callReader) run(t *frameworks.Table, row *frameworks.Call, call *ast.Call) *frameworks.Run {
	span := call.Span()
	r := frameworks.NewRun(t, row.Set, runconf.Span{Start: int(span.Start), End: int(span.End)})
	params := row.Params
	if class, ok := infer.RefOf(c.calls[call].Val(call.Fun)).(*infer.ClassRef); ok {
		params = nil // its own fields come first
		for _, f := range class.Fields {
			r.Add(runconf.Setting{Key: f.Name, Value: valueOf(f.Default)})
		}
	}
	c.arguments(r, "", params, call)
	c.changed(r, call, row.Chained)
	if env := c.argument(call, row.Params, row.Environments); env != nil {
		if n, ok := c.environments(c.calls[call], env, 0); ok {
			r.Add(runconf.Setting{Key: "n_envs", Value: runconf.Of(strconv.Itoa(n)), At: spanOf(env)})
		}
	}
	for name, params := range row.Methods {
		c.method(r, name, params, call, row.Chained)
	}
	c.updated(r, call)
	c.replaced(r, call)
	if row.Trainer != nil {
		c.trainer(r, row.Trainer, "trainer.", call)
	}
	if c.onOneDevice() {
		r.Add(runconf.Setting{Key: "processes", Value: runconf.Of("1")})
	}
	return r
}

func spanOf(n ast.Node) runconf.Span {
	return runconf.Span{Start: int(n.Span().Start), End: int(n.Span().End)}
}

// arguments adds the arguments of a call under a prefix.
func (c *callReader) arguments(r *frameworks.Run, prefix string, params []string, call *ast.Call) {
	f := c.calls[call]
	for i, arg := range call.Args {
		if _, starred := arg.(*ast.Starred); starred || i >= len(params) {
			r.Open = true
			break
		}
		c.add(r, prefix+params[i], f.Val(arg), spanOf(arg), 0)
	}
	for _, k := range call.Keywords {
		if k.Name != "" {
			c.add(r, prefix+k.Name, f.Val(k.Value), spanOf(k), 0)
			continue
		}
		d, ok := infer.RefOf(f.Val(k.Value)).(*infer.DictRef)
		if !ok || d.Open || d.Elem != nil {
			r.Open = true
			continue
		}
		for name, v := range d.Fields {
			r.Add(runconf.Setting{Key: prefix + name, Value: valueOf(v), At: spanOf(k)})
		}
	}
}

// maxStores bounds how many items of one object a program sets.
const maxStores = 64

// isFrom reports whether a value is what a call returned.
func isFrom(v *infer.Val, call *ast.Call) bool {
	for range maxStores {
		if v == nil {
			return false
		}
		if v.Node == ast.Node(call) {
			return true
		}
		if v.Op != infer.OpCall && v.Op != infer.OpNarrow && v.Op != infer.OpStore || len(v.In) == 0 {
			return false
		}
		v = v.In[0]
	}
	return false
}

// argument is the expression that a call passes for a parameter, or nil.
func (c *callReader) argument(call *ast.Call, params []string, name string) ast.Expr {
	for _, k := range call.Keywords {
		if k.Name == name && name != "" {
			return k.Value
		}
	}
	if i := slices.Index(params, name); i >= 0 && i < len(call.Args) {
		return call.Args[i]
	}
	return nil
}

// trainer adds the arguments of the trainer that takes the configuration, as trainer.PARAMETER. Without one
// nothing is known of them.
func (c *callReader) trainer(r *frameworks.Run, row *frameworks.Trainer, prefix string, config *ast.Call) {
	trainer := c.takerOf(row, config)
	open := r.Open
	r.Open = false
	if trainer != nil {
		c.arguments(r, prefix, row.Params, trainer)
	}
	if trainer == nil || r.Open {
		r.Forget(prefix)
	}
	r.Open = open
	switch {
	case row.Runner != nil && trainer != nil:
		c.trainer(r, row.Runner, "runner.", trainer)
	case row.Runner != nil:
		r.Forget("runner.")
	}
}

// takerOf is the only call of a class that is passed an object, or nil.
func (c *callReader) takerOf(row *frameworks.Trainer, object *ast.Call) (found *ast.Call) {
	for _, call := range c.order {
		if !frameworks.IsClass(row.Class, c.name(call)) {
			continue
		}
		if arg := c.argument(call, row.Params, row.Config); arg != nil && isFrom(c.calls[call].Val(arg), object) {
			if found != nil {
				return nil
			}
			found = call
		}
	}
	return found
}

// value is what is known of an argument: also by the call of which library it was made.
func (c *callReader) value(v *infer.Val) runconf.Value {
	out := valueOf(v)
	if call := c.maker(v); call != nil && out.Kind == runconf.Unknown {
		if name := c.name(call); name != "" {
			return runconf.Value{Kind: runconf.Made, Text: name}
		}
	}
	return out
}

// maker is the call of this module that made a value, or a tuple that it stands in, or nil.
func (c *callReader) maker(v *infer.Val) *ast.Call {
	call, ok := nodeOf(v).(*ast.Call)
	if !ok && v != nil && v.Op == infer.OpItem {
		call, ok = nodeOf(v.In[0]).(*ast.Call)
	}
	if !ok || c.calls[call] == nil {
		return nil
	}
	return call
}

// valueOf is what is known of a value, as a configuration has it.
func valueOf(v *infer.Val) runconf.Value {
	if seq, ok := infer.RefOf(v).(*infer.SeqRef); ok && seq.Elems != nil {
		out := runconf.Value{Kind: runconf.List}
		for _, e := range seq.Elems {
			out.Items = append(out.Items, scalarOf(e))
		}
		return out
	}
	return scalarOf(v)
}

func scalarOf(v *infer.Val) runconf.Value {
	if v == nil {
		return runconf.Value{}
	}
	switch x := v.Const.(type) {
	case bool:
		return runconf.Of(strconv.FormatBool(x))
	case int64:
		return runconf.Of(strconv.FormatInt(x, 10))
	case float64:
		return runconf.Of(strconv.FormatFloat(x, 'g', -1, 64))
	case string:
		return runconf.Of(x)
	case library.None:
		return runconf.Value{Kind: runconf.Null}
	}
	return runconf.Value{}
}

// wrappers are the vector environments of stable_baselines3 that hold another one.
var wrappers = []string{"VecNormalize", "VecFrameStack", "VecMonitor", "VecTransposeImage", "VecCheckNan", "VecVideoRecorder", "VecExtractDictObs"}

// environments counts the environments that an expression holds, where that is known.
func (c *callReader) environments(f *infer.Frame, e ast.Expr, depth int) (int, bool) {
	v := f.Val(e)
	call, ok := nodeOf(v).(*ast.Call)
	if !ok || depth > 8 || v.Frame == nil || c.calls[call] == nil {
		return 0, false
	}
	f = v.Frame
	switch name := c.name(call); {
	case name == "":
		return 0, false
	case strings.HasSuffix(name, ".make_vec_env") || strings.HasSuffix(name, ".make_atari_env"):
		n := c.argument(call, []string{"env_id", "n_envs"}, "n_envs")
		if n == nil {
			return 1, !slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "" })
		}
		count, known := f.Val(n).Int()
		return int(count), known
	case slices.Contains(wrappers, name[strings.LastIndexByte(name, '.')+1:]):
		if inner := c.argument(call, []string{"venv"}, "venv"); inner != nil {
			return c.environments(f, inner, depth+1)
		}
	case strings.HasSuffix(name, ".SubprocVecEnv") || strings.HasSuffix(name, ".DummyVecEnv"):
		if fns := c.argument(call, []string{"env_fns"}, "env_fns"); fns != nil {
			return length(f, fns)
		}
	case name == "gymnasium.make" || name == "gym.make" || strings.HasSuffix(name, ".Monitor"):
		return 1, true
	}
	return 0, false
}

// length is the number of elements of a list as it is written: [a, b], [a] * 4, [f(i) for i in range(4)].
func length(f *infer.Frame, e ast.Expr) (int, bool) {
	switch e := e.(type) {
	case *ast.List:
		starred := slices.ContainsFunc(e.Elts, isStarred)
		return len(e.Elts), !starred
	case *ast.BinOp:
		one, isList := e.X.(*ast.List)
		n, known := f.Val(e.Y).Int()
		if e.Op == ast.Mult && isList && known {
			return len(one.Elts) * int(n), true
		}
	case *ast.Comp:
		if len(e.Clauses) != 1 || len(e.Clauses[0].Ifs) > 0 {
			return 0, false
		}
		over, isCall := e.Clauses[0].Iter.(*ast.Call)
		if !isCall || len(over.Args) != 1 {
			return 0, false
		}
		name, isName := over.Fun.(*ast.Name)
		n, known := f.Val(over.Args[0]).Int()
		return int(n), isName && name.Ident == "range" && known
	}
	return 0, false
}

func nodeOf(v *infer.Val) ast.Node {
	if v == nil {
		return nil
	}
	return v.Node
}

// onOneDevice reports whether the program lets itself see one GPU only.
func (c *callReader) onOneDevice() bool {
	one := false
	for _, st := range c.tree.Body {
		a, ok := st.(*ast.Assign)
		if !ok || len(a.Targets) != 1 {
			continue
		}
		at, isItem := a.Targets[0].(*ast.Subscript)
		if isItem && strings.Contains(c.tree.Source(at), "CUDA_VISIBLE_DEVICES") {
			_, err := strconv.Atoi(strings.Trim(c.tree.Source(a.Value), `"'`))
			one = err == nil
		}
	}
	return one
}
