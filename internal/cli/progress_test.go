package cli

import (
	"testing"
)

// The bar appears only on a terminal, and goes away when the work is done.
func TestProgress(t *testing.T) {
	a, _, stderr := newApp("")
	s := &session{app: a, flags: &checkFlags{}}
	quiet := s.progress(10)
	quiet.set(5, 10)
	quiet.close()
	if quiet.timer != nil || stderr.Len() > 0 {
		t.Error("a bar where there is no terminal")
	}
	a.IsTerminal = func(any) bool { return true }
	b := s.progress(10)
	if b.timer == nil {
		t.Fatal("no bar on a terminal")
	}
	b.show()
	b.set(5, 10)
	b.close()
	b.set(6, 10)
	b.show()
	if b.bar == nil {
		t.Error("the bar was never shown")
	}
}
