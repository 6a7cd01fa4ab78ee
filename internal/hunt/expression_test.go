package hunt

import (
	"context"
	"testing"
)

// TestNarrow: the operation is marked in its line, in characters, where the line leaves no
// doubt which one is meant.
func TestNarrow(t *testing.T) {
	function := "layers.Gate"
	for _, c := range []struct {
		op, line, want string
		column         int // in bytes, from 1, as Python says
	}{
		{"DivBackward0", "x = (a - b) / (c.std() + d)", "(a - b) / (c.std() + d)", 0},
		{"SqrtBackward0", "y = a.sqrt() + torch.log(b)", "a.sqrt()", 0},
		{"log", "y = a.sqrt() + torch.log(b)", "torch.log(b)", 0},
		{"LogSoftmaxBackward0", "y = F.log_softmax(a, -1).exp()", "F.log_softmax(a, -1)", 0},
		{"_softmax", "y = a.softmax(-1)", "a.softmax(-1)", 0},
		{"div", "é = a / b; c = d / e", "d / e", 17},
		{"div", "é = a / b; c = d / e", "", 0},
		{"mul", "y = a / b", "", 0},
		{"GateBackward", "return Gate.apply(x) * 2", "Gate.apply(x)", 0},
		{"add_", "total.add_(x)", "total.add_(x)", 0},
	} {
		b := &FirstBad{Op: c.op, Filename: "train.py", Row: 2, Column: c.column, Function: &function}
		b.narrow(context.Background(), []byte("import torch\n"+c.line+"\n"))
		got := ""
		if b.EndColumn > 0 {
			got = string([]rune(c.line)[b.Column-1 : b.EndColumn-1])
		}
		if got != c.want {
			t.Errorf("%s in %q is %q, want %q", c.op, c.line, got, c.want)
		}
	}
}
