package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/config"
)

// TestFollowingWhatIsReplaced: a log that is gone for a moment is waited for, and what was read
// of it stands; a folder that is gone is the end.
func TestFollowingWhatIsReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	log := filepath.Join(dir, "log.csv")
	written := func() {
		t.Helper()
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(log, []byte("step,reward\n1,2\n2,3\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f := &follower{Job: &Job{Request: Request{Dir: dir}, settings: &config.Settings{}}}
	waits := func(why string) {
		t.Helper()
		if r, err := f.round(t.Context()); err != nil || r.Result != nil || !strings.Contains(r.Waiting, why) {
			t.Fatalf("%v, %+v; want to wait, since there is %s", err, r, why)
		}
	}
	finds := func() {
		t.Helper()
		if r, err := f.round(t.Context()); err != nil || r.Result == nil {
			t.Fatalf("%v, %+v; want a result", err, r)
		}
	}
	waits("no such folder")
	written()
	finds()
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	waits("nothing to audit")
	written()
	finds()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if r, err := f.round(t.Context()); err == nil {
		t.Errorf("a folder that is gone: %+v", r)
	}
}

// TestFollow: a run is read again once something was written to it, and no longer than that is
// to be waited for.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "log.csv"), []byte("step,reward\n1,2\n2,3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	job := &Job{Request: Request{Dir: dir}, settings: &config.Settings{}}
	rounds := 0
	for round, err := range job.Follow(t.Context(), time.Millisecond) {
		if rounds++; err != nil || round.Result == nil || round.Result.Run != dir {
			t.Fatalf("%v, %+v", err, round)
		}
	}
	if rounds != 1 {
		t.Errorf("%d rounds of a run to which nothing is written", rounds)
	}
}
