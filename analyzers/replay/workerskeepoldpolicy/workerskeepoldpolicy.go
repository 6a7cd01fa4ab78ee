// Package workerskeepoldpolicy is rule OFF061, workers-keep-old-policy; rule.md says what it finds.
package workerskeepoldpolicy

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports collectors of torchrl whose workers never get the new weights.
var Analyzer = pass.Rule(Doc, run)

// collectors are the classes of torchrl that run a policy, updaters what hands it new weights.
var (
	collectors = query.Words(`SyncDataCollector MultiSyncDataCollector MultiaSyncDataCollector aSyncDataCollector Collector MultiSyncCollector MultiAsyncCollector AsyncCollector`)
	updates    = []string{"update_policy_weights_", "update_at_each_batch", "set_policy"}
	updaters   = []string{"weight_updater", "weight_sync_schemes", "remote_weight_updater", "local_weight_updater", "update_at_each_batch", "get_weights_fn"}
)

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		src := p.In(f)
		if !isCollector(f, call) || updated(p, f, call) || len(query.Calls(src.AST, "step")) == 0 {
			continue
		}
		policy := query.Keyword(call, "policy")
		if policy == nil && len(call.Args) > 1 {
			policy = call.Args[1]
		}
		acts := device(f, query.Keyword(call, "policy_device"))
		if policy == nil || !handsOn(p, f, policy, call) {
			continue // it is not what is trained, as an expert is not
		}
		if acts == "" {
			acts = device(f, query.Keyword(call, "device"))
		}
		if learns := trainedOn(p, f, policy); acts != "" && learns != "" && kind(acts) != kind(learns) {
			p.Report(pass.Finding{
				At: call, Frame: f, Evidence: domain.Derived,
				Why: "it acts with a copy on " + acts + " of what is trained on " + learns + ", so all data comes from the policy of the first step",
			})
		}
	}
}

// updated reports whether the program hands new weights over, or may do so where the collector goes out of sight.
func updated(p *pass.Pass, f *infer.Frame, collector *ast.Call) bool {
	bound := slices.IndexFunc(f.Nodes(), func(n ast.Node) bool {
		as, ok := n.(*ast.Assign)
		return ok && as.Value == collector
	})
	for _, call := range query.Everywhere[*ast.Call](p.Graph) {
		if slices.Contains(updates, query.CalleeName(call)) {
			return true
		}
	}
	return bound >= 0 && handsOn(p, f, f.Nodes()[bound].(*ast.Assign).Targets[0], collector)
}

// goesThrough are calls that do no more than go through a collector.
var goesThrough = query.Words("enumerate iter len next zip tqdm print")

// handsOn reports whether a variable or field is handed to a call other than one, or the parameters of what it holds are.
func handsOn(p *pass.Pass, f *infer.Frame, e ast.Expr, but *ast.Call) bool {
	path := query.Path(e)
	is := func(e ast.Expr) bool { return path != "" && query.Path(e) == path }
	for g, call := range query.Everywhere[*ast.Call](p.Graph) {
		if g.Module != f.Module || call == but || goesThrough[query.CalleeName(call)] {
			continue
		}
		at, method := call.Fun.(*ast.Attribute)
		if method && at.Attr == "parameters" && is(at.X) || slices.ContainsFunc(call.Args, is) || slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return is(k.Value) }) {
			return true
		}
	}
	return false
}

func isCollector(f *infer.Frame, call *ast.Call) bool {
	name := query.CalledSymbol(f, call)
	if !strings.HasPrefix(name, "torchrl.") || !collectors[infer.BaseOp(name)] || query.HasOpenArgs(call) {
		return false
	}
	for _, u := range updaters {
		if query.Keyword(call, u) != nil {
			return false
		}
	}
	return true
}

// trainedOn is the device to which a policy was moved, where that is a constant.
func trainedOn(p *pass.Pass, f *infer.Frame, policy ast.Expr) string {
	if policy == nil {
		return ""
	}
	made := f.Val(policy)
	for call := range query.In[*ast.Call](f) {
		if query.CalleeName(call) != "to" || len(call.Args) != 1 {
			continue
		}
		at, ok := call.Fun.(*ast.Attribute)
		if ok && made != nil && (infer.SameSource(f.Val(call), made) || query.Path(at.X) != "" && query.Path(at.X) == query.Path(policy)) {
			return device(f, call.Args[0])
		}
	}
	return ""
}

// device is the name of a device, "" for what is no constant.
func device(f *infer.Frame, e ast.Expr) string {
	if e == nil {
		return ""
	}
	if call, ok := e.(*ast.Call); ok && query.CalleeName(call) == "device" && len(call.Args) > 0 {
		e = call.Args[0]
	}
	name, _ := f.Val(e).Str()
	return name
}

// kind is a device without its number: which of several it is may be chosen elsewhere.
func kind(device string) string {
	k, _, _ := strings.Cut(device, ":")
	return k
}
