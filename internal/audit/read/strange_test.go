package read

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// TestWhatIsNotEntered: links are not followed and folders too deep not entered, and the one
// who gave such a folder is told.
func TestWhatIsNotEntered(t *testing.T) {
	linked, deep := t.TempDir(), t.TempDir()
	if err := os.Symlink(filepath.Join(deep, "anything.jsonl"), filepath.Join(linked, "log.jsonl")); err != nil {
		t.Skipf("SKIPPED: links cannot be made here, so what is not entered is NOT tried: %v", err)
	}
	write(t, deep, strings.Repeat("d/", maxDepth+1)+"log.jsonl", []byte(log10(0, 10, same)))
	for dir, want := range map[string]string{linked: "log.jsonl is a link, and links are not followed", deep: "folders deeper than 12 were not looked into, such as d/d/"} {
		if _, err := Run(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	write(t, deep, "log.jsonl", []byte(log10(0, 10, same)))
	if r := run(t, deep, Options{}); len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "deeper than 12") {
		t.Errorf("what is left out is said beside what is read: %q", r.Notes)
	}
}

// TestDecimalCommas: spreadsheets of much of Europe part columns by semicolons, and write 0,5.
func TestDecimalCommas(t *testing.T) {
	r := run(t, folder(t, "-- log.csv --\nstep;reward\n1;0,5\n2;1,25\n"), Options{})
	if s := series(t, r, "reward"); len(s.Points) != 2 || s.Points[1].Value != 1.25 {
		t.Errorf("%+v", s.Points)
	}
}

// TestMoreMetricsThanAnybodyReads: what is left out is counted, and names that are none are not
// kept.
func TestMoreMetricsThanAnybodyReads(t *testing.T) {
	var names, cells strings.Builder
	for i := range 3 * maxUnknown {
		fmt.Fprintf(&names, ",m%d", i)
		cells.WriteString(",1")
	}
	dir := folder(t, "-- log.csv --\nstep,reward"+names.String()+"\n1,1"+cells.String()+"\n2,2"+cells.String()+"\n")
	write(t, dir, "long.jsonl", []byte(`{"step": 1, "`+strings.Repeat("x", 10*maxName)+`": 1, "loss": 2}`+"\n"))
	r := run(t, dir, Options{})
	if said := fmt.Sprint(r.Sources); !strings.Contains(said, fmt.Sprint(2*maxUnknown, " of them were left out")) {
		t.Error(said)
	}
	for _, s := range r.Series {
		if len(s.Name) > maxName {
			t.Errorf("a name of %d bytes", len(s.Name))
		}
	}
}

// TestNamesThatMeet: of two names that are one to an audit one is used, and the other said.
func TestNamesThatMeet(t *testing.T) {
	r := run(t, folder(t, "-- log.csv --\nstep,reward,train/reward,eval/reward\n1,2,,1\n2,3,7,1\n"), Options{})
	if series(t, r, "reward").Quantity != record.Reward || series(t, r, "train/reward").Quantity != "" || series(t, r, "eval/reward").Quantity == "" {
		t.Errorf("%+v", r.Series)
	}
	if len(r.Unused) != 1 || !strings.Contains(r.Unused[0].Reason, "stands beside reward") {
		t.Errorf("%+v", r.Unused)
	}
}
