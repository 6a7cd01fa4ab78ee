package harness

import (
	"testing"
	"time"
)

// TestOutOfTime: what was seen until the time was over counts, under every isolation.
func TestOutOfTime(t *testing.T) {
	for _, isolation := range []Isolation{NoIsolation, UserNamespace, Bubblewrap} {
		t.Run(string(isolation), func(t *testing.T) {
			if _, err := isolation.Resolve(); err != nil {
				t.Skipf("SKIPPED: programs are NOT run under %s: %v", isolation, err)
			}
			p := planOf(t, "import time\nfor i in range(8):\n    x = «i + 1»\ntime.sleep(600)\n")
			p.Isolation, p.Limits.Timeout = isolation, 5*time.Second
			if e := evidence(t, p); e.Verdict != Refuted {
				t.Errorf("%s: %s; want refuted", e.Verdict, e.Reason)
			}
		})
	}
}
