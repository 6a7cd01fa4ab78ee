package frameworks

import "testing"

func TestTables(t *testing.T) {
	if len(Tables()) < 5 {
		t.Error("tables are missing")
	}
}
