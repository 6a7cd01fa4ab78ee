package cli

import "testing"

// TestPacesBoundTheHeap: what is in use and what the heap may grow by are together
// at most 340 MB, or six tenths more than what is in use where that is more.
func TestPacesBoundTheHeap(t *testing.T) {
	for mb := uint64(1); mb <= 1000; mb++ {
		peak := mb + mb*uint64(paceOf(mb<<20))/100
		if limit := max(340, mb*16/10); peak > limit {
			t.Errorf("%d MB in use: the heap may grow to %d MB, more than %d", mb, peak, limit)
		}
	}
	if a, b := paceOf(0), paceOf(300<<20); a <= b {
		t.Errorf("the pace is %d%% with nothing in use and %d%% with much", a, b)
	}
}
