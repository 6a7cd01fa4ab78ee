package library

import "testing"

func TestEmbeddedTablesLoad(t *testing.T) {
	if _, err := parse(embedded()); err != nil {
		t.Fatal(err)
	}
}
