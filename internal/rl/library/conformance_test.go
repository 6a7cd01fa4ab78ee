package library

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/torchtest"
)

// The tables are claims about foreign libraries, so they are run against them:
// every torch, numpy, math and statistics row is called under each of its
// names on sample arguments of each guarded kind, and the result is compared
// with what Apply says of the same arguments. Kinds themselves are the tables'
// own words; what can be measured is range, zero, shape, gradient, arity of
// tuples, parameter order and whether the name exists.

//go:embed testdata/conformance.py
var conformanceScript string

// claim is the part of a value that can be measured.
type claim struct {
	Name    string   `json:"name,omitempty"`
	Lo      *float64 `json:"lo,omitempty"`
	Hi      *float64 `json:"hi,omitempty"`
	NonZero bool     `json:"nonzero,omitempty"`
	Shape   []int    `json:"shape"`
	Grad    string   `json:"grad,omitempty"`
	Opaque  bool     `json:"opaque,omitempty"` // not a number: nothing is measured
}

// claimOf turns a value into claims; unknown parts claim nothing.
func claimOf(v domain.Value) claim {
	c := claim{NonZero: v.Range.NonZero, Opaque: v.Is(domain.Distribution | domain.Module | domain.Optimizer | domain.Other)}
	if v.Range.Lo > domain.NegInf {
		lo := v.Range.Lo.Float()
		c.Lo = &lo
	}
	if v.Range.Hi < domain.PosInf {
		hi := v.Range.Hi.Float()
		c.Hi = &hi
	}
	if v.Shape.Known() {
		c.Shape = []int{}
		for _, d := range v.Shape.Dims[:v.Shape.Rank] {
			c.Shape = append(c.Shape, int(d.N))
		}
	}
	if v.Grad == domain.Attached || v.Grad == domain.Detached {
		c.Grad = v.Grad.String()
	}
	return c
}

// testCase is one call to run.
type testCase struct {
	Row      string  `json:"row"`
	Code     string  `json:"code"`
	Claim    claim   `json:"claim"`
	Elements []claim `json:"elements,omitempty"`
	Scalar   bool    `json:"scalar,omitempty"`
	Opaque   bool    `json:"opaque,omitempty"`
}

// nameCheck is a name that must exist.
type nameCheck struct {
	Name  string `json:"name"`
	Since string `json:"since,omitempty"`
}

// signatureCheck is an order of parameters; each may have several names.
type signatureCheck struct {
	Name   string     `json:"name"`
	Params [][]string `json:"params"`
	// Receiver says that the first parameter is the receiver, which the
	// signatures of torch's methods leave out.
	Receiver bool `json:"receiver"`
	// Canonical says that this is the name of the row, not an alias.
	Canonical bool `json:"canonical"`
}

type conformanceRequest struct {
	Names      []nameCheck      `json:"names"`
	Signatures []signatureCheck `json:"signatures"`
	Cases      []testCase       `json:"cases"`
}

type conformanceReply struct {
	Versions map[string]string `json:"versions"`
	Missing  []string          `json:"missing"`
	Problems []string          `json:"problems"`
	Zeros    []bool            `json:"zeros"`
	Raised   int               `json:"raised"`
}

func TestConformance(t *testing.T) {
	python := torchtest.Python(t, "the tables are NOT checked against torch")
	request, uncovered := conformanceCases(t)
	reply := runConformance(t, python, request)
	for _, p := range reply.Problems {
		t.Error(p)
	}
	if len(reply.Zeros) != len(request.Cases) {
		t.Fatalf("%d results of %d cases", len(reply.Zeros), len(request.Cases))
	}
	if reply.Raised > len(request.Cases)/10 {
		t.Errorf("%d of %d calls were refused by Python", reply.Raised, len(request.Cases))
	}
	checkZeros(t, request.Cases, reply.Zeros)
	t.Logf("checked %d names, %d signatures, %d calls (%d refused by Python) against %v; not installed: %v; rows of other libraries: %d",
		len(request.Names), len(request.Signatures), len(request.Cases), reply.Raised, reply.Versions, reply.Missing, uncovered)
}

func runConformance(t *testing.T, python string, request conformanceRequest) (reply conformanceReply) {
	t.Helper()
	in, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", conformanceScript)
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(out, &reply); err != nil {
		t.Fatal(err)
	}
	return reply
}

// mustReachZero are rows of which the whole point is that they can be 0: some
// sample must show it, so that the missing claim is a fact and not an omission.
var mustReachZero = []string{
	"torch.exp", "torch.nn.functional.softmax", "torch.sigmoid", "torch.nn.functional.softplus", "torch.relu", "torch.abs",
	"torch.square", "torch.sqrt", "torch.std", "torch.var", "torch.norm", "torch.sum", "torch.mean", "torch.clamp", "numpy.std",
	"numpy.var", "numpy.linalg.norm", "torch.nan_to_num", "torch.nn.functional.mse_loss",
}

// checkZeros demands the witnesses.
func checkZeros(t *testing.T, cases []testCase, zeros []bool) {
	t.Helper()
	seen := map[string]bool{}
	for i, c := range cases {
		if zeros[i] && !c.Claim.NonZero {
			seen[c.Row] = true
		}
	}
	for _, row := range mustReachZero {
		if !seen[row] {
			t.Errorf("%s: no sample reaches 0", row)
		}
	}
}

// conformanceCases builds the request. Every row of a library that can be
// installed here needs a sample or a reason why it has none.
func conformanceCases(t *testing.T) (req conformanceRequest, uncovered int) {
	t.Helper()
	table := Load()
	for _, name := range sorted(table.funcs) {
		f := table.funcs[name]
		lib := library(name)
		if lib == nil {
			uncovered++
			continue
		}
		req.Names = append(req.Names, nameCheck{name, f.Since})
		req.Signatures = append(req.Signatures, signatureOf(name, f.Params, f.Receiver, f.Name == name))
		if f.Since != "" || noSample[name] != "" {
			continue
		}
		cases := lib.cases(name, f)
		if len(cases) == 0 {
			t.Errorf("%s has neither a sample nor a reason why not", name)
		}
		req.Cases = append(req.Cases, cases...)
	}
	for _, name := range sorted(table.classes) {
		if library(name) == nil {
			uncovered++
			continue
		}
		req.Names = append(req.Names, nameCheck{Name: name})
		if c := table.classes[name]; c.Name == name {
			req.Signatures = append(req.Signatures, signatureOf(name, c.Params, false, true))
		}
	}
	for _, name := range sorted(noSample) {
		if table.funcs[name] == nil {
			t.Errorf("noSample names %s, which is no row", name)
		}
	}
	req.Cases = append(req.Cases, objectCases(t)...)
	return req, uncovered
}

// signatureOf lists the names that each parameter may have in the library;
// a *parameter ends what can be compared.
func signatureOf(name string, params []string, receiver, canonical bool) signatureCheck {
	s := signatureCheck{Name: name, Params: [][]string{}, Receiver: receiver, Canonical: canonical}
	for _, p := range params {
		if strings.HasPrefix(p, "*") {
			break
		}
		names := []string{p}
		for other, same := range synonyms {
			if same == p {
				names = append(names, other)
			}
		}
		slices.Sort(names)
		s.Params = append(s.Params, append(names, libraryNames[p]...))
	}
	return s
}

// The run is only worth something if false claims fail.
func TestConformanceCatchesLies(t *testing.T) {
	python := torchtest.Python(t, "whether false claims of the tables fail is NOT tried")
	zero, one := 0.0, 1.0
	lies := conformanceRequest{
		Names: []nameCheck{{Name: "torch.sofmax"}, {Name: "torch.softmax", Since: "99.0"}},
		Signatures: []signatureCheck{
			{Name: "torch.nn.functional.softmax", Params: [][]string{{"dim"}, {"input"}}, Canonical: true},
			{Name: "torch.nn.Linear", Params: [][]string{{"in_features"}, {"bias"}}, Canonical: true},
		},
		Cases: []testCase{
			{Row: "bounded away from 0", Code: `torch.softmax(T("signed", [9]), 0)`, Claim: claim{NonZero: true}},
			{Row: "below 1", Code: `torch.exp(T("signed", [9]))`, Claim: claim{Hi: &one}},
			{Row: "not negative", Code: `torch.tanh(T("signed", [9]))`, Claim: claim{Lo: &zero}},
			{Row: "shape", Code: `T("signed", [4, 3]).mean(0)`, Claim: claim{Shape: []int{4}}},
			{Row: "rank", Code: `T("signed", [4, 3]).mean(0, keepdim=True)`, Claim: claim{Shape: []int{3}}},
			{Row: "attached", Code: `T("signed", [4], True).detach()`, Claim: claim{Grad: "attached"}},
			{Row: "detached", Code: `T("signed", [4], True).exp()`, Claim: claim{Grad: "detached"}},
			{Row: "single", Code: `T("signed", [4, 3]).max(0)`},
			{Row: "tuple", Code: `T("signed", [4, 3]).max()`, Elements: []claim{{}, {}}},
			{Row: "field", Code: `T("signed", [4, 3]).max(0)`, Elements: []claim{{Name: "indices"}, {Name: "values"}}},
			{Row: "raises", Code: `T("signed", [4, 3]).maxx(0)`},
		},
	}
	reply := runConformance(t, python, lies)
	if got, want := len(reply.Problems), len(lies.Names)+len(lies.Signatures)+len(lies.Cases); got != want {
		t.Errorf("%d of %d lies were caught:\n%s", got, want, strings.Join(reply.Problems, "\n"))
	}
}
