package infer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// What a container holds under two keys, or at two positions, that it does not show are two values, each made as all
// of its parts are; under one key it is one.
func TestPartsOfOpenContainers(t *testing.T) {
	for name, code := range map[string]string{
		"dict": `
import torch
def scored(names, logits):
    rows = {}
    for name in names:
        rows[name] = torch.log_softmax(logits, -1)
    return rows
rows = scored(input().split(), torch.zeros(3, 8))
a = rows["old"]
b = rows["reference"]
c = rows["old"]
`,
		"list": `
import torch
def scored(names, logits):
    return [torch.log_softmax(logits, -1) for name in names]
rows = scored(input().split(), torch.zeros(3, 8))
a = rows[1]
b = rows[2]
c = rows[1]
`,
	} {
		t.Run(name, func(t *testing.T) {
			res := evaluate(t, code)
			a, b, c := assigned(t, res, code, "a = "), assigned(t, res, code, "b = "), assigned(t, res, code, "c = ")
			if a == b || a != c {
				t.Errorf("two keys are one value: %v; one key is two: %v", a == b, a != c)
			}
			for _, v := range []*infer.Val{a, b} {
				if !v.Is(domain.LogProb) {
					t.Errorf("a part is %v, and all are log-probs", v.Q)
				}
			}
		})
	}
}

// assigned is what the statement that begins with a text assigns.
func assigned(t *testing.T, res *infer.Result, code, begin string) *infer.Val {
	t.Helper()
	line := slices.IndexFunc(strings.Split(code, "\n"), func(l string) bool { return strings.HasPrefix(l, begin) })
	vals := valuesOn(res, code, line)
	if len(vals) != 1 {
		t.Fatalf("%q has %d values", begin, len(vals))
	}
	return vals[0]
}
