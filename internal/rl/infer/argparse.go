package infer

import (
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// objectSpecial evaluates a method of a library object that is about the
// program rather than about numbers. It returns nil to decline.
type objectSpecial func(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val

var objectSpecials map[string]objectSpecial

func init() {
	objectSpecials = map[string]objectSpecial{
		"argparse.ArgumentParser.add_argument":                      addArgument,
		"argparse.ArgumentParser.parse_args":                        parseArgs,
		"argparse.ArgumentParser.parse_known_args":                  parseKnownArgs,
		"argparse.ArgumentParser.add_argument_group":                itself,
		"argparse.ArgumentParser.add_mutually_exclusive_group":      itself,
		"transformers.HfArgumentParser.parse_args_into_dataclasses": parseDataclasses,
		"trl.TrlParser.parse_args_and_config":                       parseDataclasses,
		"torch.nn.ModuleList.append":                                appendLayer,
		"torch.nn.Sequential.append":                                appendLayer,
		"accelerate.Accelerator.prepare":                            prepare,
		"accelerate.Accelerator.unwrap_model":                       unwrap,
		"accelerate.Accelerator.prepare_model":                      unwrap,
		"accelerate.Accelerator.prepare_optimizer":                  unwrap,
		"accelerate.Accelerator.prepare_data_loader":                unwrap,
		contextName + ".save_for_backward":                          saveForBackward,
		"accelerate.Accelerator.backward":                           backward,
	}
}

func itself(_ *interp, _ *Frame, _ *state, _ ast.Node, recv *Val, _ *LibObject, _ callArgs) *Val {
	return recv
}

// addArgument notes an option and its default on the parser.
func addArgument(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	name := ""
	for _, p := range a.pos {
		if text, ok := p.Str(); ok && (name == "" || strings.HasPrefix(text, "--")) {
			name = text
		}
	}
	if d, ok := a.get("dest").Str(); ok {
		name = d
	}
	name = optionKey(name)
	if name == "" || o.owner != in {
		return in.none()
	}
	v := in.opaque(f, s, n, OpConfig)
	if d := a.get("default"); d != nil {
		v.Const, v.Q, v.In = d.Const, d.Q, []*Val{d}
		if d.IsNone() {
			v.Const, v.Q = nil, domain.Unknown
		}
	}
	if action, ok := a.get("action").Str(); ok && a.get("default") == nil && (action == "store_true" || action == "store_false") {
		v.Const = action == "store_false"
	}
	if o.Attrs == nil {
		o.Attrs = map[string]*Val{}
	}
	o.Attrs[name] = v
	return in.none()
}

func parseArgs(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	d := in.dictAt(f, n)
	for _, k := range slices.Sorted(maps.Keys(o.Attrs)) {
		d.set(k, o.Attrs[k])
	}
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), recv)
	v.Ref = d
	return v
}

func parseKnownArgs(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	ns := parseArgs(in, f, s, n, recv, o, a)
	return in.tuple(f, s, n, &SeqRef{Elems: []*Val{ns, in.unknown}, owner: in})
}

// parseDataclasses yields a tuple of the records that the parser was built from.
func parseDataclasses(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	if len(o.Pos) == 0 {
		return nil
	}
	classes := []*Val{o.Pos[0]}
	if r, ok := o.Pos[0].Ref.(*SeqRef); ok {
		classes = r.Elems
	}
	t := &SeqRef{Elems: []*Val{}, owner: in}
	for _, c := range classes {
		v := in.unknown
		if r, ok := c.Ref.(*ClassRef); ok {
			v = in.genericInstance(r)
		}
		t.Elems = append(t.Elems, v)
	}
	return in.tuple(f, s, n, t)
}

func appendLayer(in *interp, _ *Frame, _ *state, _ ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	if o.owner == in && len(a.pos) == 1 && len(o.Pos) < maxElems && !containsVal(o.Pos, a.pos[0]) {
		o.Pos = append(o.Pos, a.pos[0])
	}
	return recv
}

func containsVal(vals []*Val, v *Val) bool {
	for _, x := range vals {
		if x == v || x.Node == v.Node && x.Frame == v.Frame {
			return true
		}
	}
	return false
}

// prepare hands its arguments back, wrapped.
func prepare(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	if len(a.pos) == 1 {
		return a.pos[0]
	}
	return in.tuple(f, s, n, &SeqRef{Elems: append([]*Val{}, a.pos...), owner: in})
}

// unwrap hands its first argument back, wrapped or not.
func unwrap(_ *interp, _ *Frame, _ *state, _ ast.Node, _ *Val, _ *LibObject, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	return a.pos[0]
}

func backward(in *interp, f *Frame, s *state, n ast.Node, _ *Val, _ *LibObject, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	return in.val(f, s, n, OpDelegate, domain.Of(domain.Other), a.pos[0])
}
