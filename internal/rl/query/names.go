package query

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// IsOpaque reports whether u is a call of something that is not known.
func (g *Graph) IsOpaque(u *infer.Val) bool {
	call, ok := u.Node.(*ast.Call)
	if !ok || u.Frame == nil {
		return false
	}
	switch {
	case strings.HasPrefix(u.Op, infer.OpCall+"."):
		return true
	case u.Op == infer.OpNew:
		o, ok := u.Ref.(*infer.LibObject)
		return ok && o.Class == nil
	case u.Op != infer.OpCall || g.Values.SiteOf(u) != nil || IsConversion(u):
		return false
	}
	fun := u.Frame.Val(call.Fun)
	return !(len(u.In) > 1 && fun != nil && u.In[1] == fun) // else the call of a module
}

// Weighs reports whether a setting is meant to weigh terms of a kind, by its name. An alone
// name may weigh something else. No more than a hint, as all names are.
func Weighs(setting string, k domain.Kind) (is, alone bool) { return library.Load().Weighs(setting, k) }

// HoldsSettings reports whether an object holds settings, by its name: a hint too.
func HoldsSettings(name string) bool { return library.Load().Settings(name) }

// Owner returns whose something is meant to be, by its name: a hint too.
func Owner(name string) domain.Whose { return library.Load().Owner(name) }

// Names reports whether a variable or attribute in an expression is called after a quantity of
// kind k, by one of its words: "reward_pool". A hint again.
func Names(e ast.Node, k domain.Kind) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		name := ""
		switch n := n.(type) {
		case *ast.Name:
			name = n.Ident
		case *ast.Attribute:
			name = n.Attr
		}
		for _, word := range strings.Split(name, "_") {
			q, says := library.Load().Name(word)
			found = found || says && q.Is(k)
		}
		return !found
	})
	return found
}

// IsNegativeByName reports whether a name on the way to s says that it is a negative log-probability,
// as many programs keep it: of a parameter, an attribute, a key, or what was called.
func (s Seen) IsNegativeByName() bool {
	for x, room := s.Strip(), 8; x.Known() && room > 0; room-- {
		name := CalleeName(x.Node)
		if p, ok := x.Node.(*ast.Param); ok && x.Op == infer.OpParam {
			name = p.Name
		}
		if key, ok := strings.CutPrefix(x.Op, infer.OpAttr+"."); ok {
			name += " " + key
		}
		if isNegativeName(name) {
			return true
		}
		if len(x.In) == 0 {
			break
		}
		x = x.Input(0).Strip()
	}
	return false
}

// IsNegativeWritten reports whether an expression has a part that is called a negative log-probability.
func IsNegativeWritten(e ast.Node) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			found = found || isNegativeName(n.Ident)
		case *ast.Attribute:
			found = found || isNegativeName(n.Attr)
		}
		return !found
	})
	return found
}

// isNegativeName reports whether people call a negative log-probability so.
func isNegativeName(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "")
	return strings.Contains(name, "neglog") || strings.Contains(name, "negativelog") || strings.Contains(name, "nll") || strings.Contains(name, "nlogp")
}

// IsConversion reports whether u is float(x) or int(x).
func IsConversion(u *infer.Val) bool {
	call, ok := u.Node.(*ast.Call)
	if !ok || u.Op != infer.OpCall || len(u.In) != 1 {
		return false
	}
	name, ok := call.Fun.(*ast.Name)
	return ok && (name.Ident == "float" || name.Ident == "int")
}

// IsNumber reports whether v is a Python number, which carries no gradient and is
// never changed in place.
func IsNumber(v *infer.Val) bool { return isNumber(v, 6) }

// isNumber reports whether v is a Python number: it was taken out of an array.
func isNumber(v *infer.Val, depth int) bool {
	switch {
	case v == nil:
		return true
	case strings.HasSuffix(v.Op, ".item"), v.IsOp("format", "len"), IsConversion(v), v.Is(domain.Text): // an index is an "item", too
		return true
	case v.Const != nil:
		return true
	case depth == 0 || len(v.In) == 0 || v.Op == infer.OpParam:
		return false
	case v.Fn == nil && v.Op != infer.OpPhi && v.Op != infer.OpNarrow && !v.IsOp("add", "sub", "mul", "div", "neg", "pow"):
		return false
	}
	for _, x := range v.In {
		if !isNumber(x, depth-1) {
			return false
		}
	}
	return true
}

// CalleeName is the last name of what is called.
func CalleeName(n ast.Node) string {
	call, ok := n.(*ast.Call)
	if !ok {
		return ""
	}
	return LastName(call.Fun)
}

// LastName is the name of a variable, or of the attribute that an expression reads; "" for anything else.
func LastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Name:
		return e.Ident
	case *ast.Attribute:
		return e.Attr
	}
	return ""
}

// LoggerObject reports whether a method is called on something that is there for
// people to read: a module or object for logs.
func LoggerObject(n ast.Node) bool {
	call, ok := n.(*ast.Call)
	if !ok {
		return false
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok {
		return false
	}
	switch x := at.X.(type) {
	case *ast.Name:
		return logObjects[strings.ToLower(x.Ident)]
	case *ast.Attribute:
		return logObjects[strings.ToLower(x.Attr)]
	}
	return false
}

func Words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// loggers are names of functions and methods that show, log or write values;
// computes are those that yield something of them and keep nothing.
var (
	Loggers = Words(`print pprint log log_dict log_metrics log_metric log_scalar add_scalar add_scalars add_histogram add_text info debug warning
		error critical exception write writerow writelines set_postfix set_postfix_str set_description set_description_str logkv logkv_mean
		record_mean record_tabular log_tabular log_stat log_stats report echo dumpkvs plot savefig track_metric show`)
	Computes = Words(`gather gather_for_metrics reduce all_reduce masked_mean masked_sum mean sum round dumps dump format join str repr abs
		max min sorted list tuple set float int bool nanmean asdict copy to cpu numpy len zip enumerate reversed`)
	logObjects = Words(`wandb writer summary_writer tb tensorboard logger logging log tqdm pbar progress mlflow swanlab neptune`)
)

func IsContainer(v *infer.Val) bool {
	switch v.Ref.(type) {
	case *infer.SeqRef, *infer.DictRef:
		return true
	}
	return false
}

// KindNamed is the quantity that a name says, by the names that the tables know; zero where it says none. A hint too.
func KindNamed(ident string) domain.Kind {
	q, ok := library.Load().Name(ident)
	if !ok || !q.Kind.Known() {
		return 0
	}
	return q.Kind
}
