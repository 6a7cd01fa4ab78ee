package pass

import "testing"

// A help speaks with the program's names where it can, and with all of the page's where it cannot.
func TestCalled(t *testing.T) {
	const help = "subtract logp, as in `torch.min(q1, q2) - alpha * logp.sum(-1)`"
	for _, c := range []struct {
		called Called
		want   string
	}{
		{nil, help},
		{Called{"q1": "qa", "q2": "self.critic(f(s2), -1)[0]", "alpha": "0.2", "logp": "lp"}, "subtract logp, as in `torch.min(qa, self.critic(f(s2), -1)[0]) - 0.2 * lp.sum(-1)`"},
		{Called{"logp": "new - old"}, "subtract logp, as in `torch.min(q1, q2) - alpha * (new - old).sum(-1)`"},
		{Called{"min": "never"}, help}, // an attribute is no name
		{Called{"q1": "qa", "q2": ""}, help},
		{Called{"q1": "f(\n    x)"}, help},
		{Called{"q1": "a_name_that_is_longer_than_what_reads_well"}, help},
	} {
		if got := c.called.own(help); got != c.want {
			t.Errorf("%v: %q, want %q", c.called, got, c.want)
		}
	}
}
