package cli

import (
	"testing"
)

// The bar appears only on a terminal, and goes away when the work is done.
func TestProgress(t *testing.T) {
	a, _, stderr := newApp("")
	c := &checkBar{app: a}
	progress := func() *progressBar {
		c.set(0, 10)
		return c.bar
	}
	none := progress()
	none.set(5, 10)
	c.close()
	if none.timer != nil || stderr.Len() > 0 {
		t.Error("a bar where there is no terminal")
	}
	a.IsTerminal = func(any) bool { return true }
	b := progress()
	if b.timer == nil {
		t.Fatal("no bar on a terminal")
	}
	b.show()
	c.set(5, 10)
	c.close()
	b.set(6, 10)
	b.show()
	if b.bar == nil {
		t.Error("the bar was never shown")
	}
}
