package harness

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/harness/protocol"
)

// What a process can send of target 0. A probe requires 5 evaluations that uphold the law.
func evaluated(process string, hits int) protocol.Event {
	return &protocol.Hits{Sender: sender(process), Hits: hits}
}

func clean(process string, hits int) protocol.Event {
	holds := "all finite in " + process
	return &protocol.Evidence{Sender: sender(process), Hits: hits, Upheld: hits, Required: 5, Holds: &holds}
}

// upholds is evidence of evaluations at which nothing but so many could have shown the mistake.
func upholds(process string, times, hits int) protocol.Event {
	e := clean(process, hits).(*protocol.Evidence)
	e.Upheld, e.Needs = times, "two groups"
	return e
}

func unsure(process string, hits int) protocol.Event {
	why := "no backward followed"
	return &protocol.Evidence{Sender: sender(process), Hits: hits, Required: 5, Unsure: &why}
}

func confirms(process string) protocol.Event {
	return &protocol.Confirm{Sender: sender(process), Reason: "it is NaN in " + process, Hit: 2, Seen: json.RawMessage(`{}`)}
}

func placed(status string) protocol.Event {
	return &protocol.Target{Sender: sender("a"), Status: status, Reason: "the file has changed"}
}

func sender(process string) protocol.Sender {
	return protocol.Sender{PID: len(process), Process: process}
}

// TestVerdictOfRun: what the processes of a run sent, how the run ended, and the verdict.
func TestVerdictOfRun(t *testing.T) {
	crash := SeedRun{Status: "crash", Crash: &Crash{Type: "KeyError", Message: "'x'"}}
	type events = []protocol.Event
	for _, c := range []struct {
		name      string
		events    events
		run       SeedRun
		completed bool
		want      string
	}{
		{"nothing", nil, SeedRun{Status: "done"}, true, "not-reached: the program never imported this file"},
		{"imported only", events{placed("placed")}, SeedRun{Status: "done"}, true, "not-reached: the program never evaluated this expression"},
		{"refused", events{placed("refused")}, SeedRun{Status: "done"}, true, "inconclusive: the file has changed"},
		{"confirmed", events{placed("placed"), confirms("a"), clean("a", 9)}, SeedRun{Status: "done"}, true, "confirmed: it is NaN in a"},
		{"the first confirmation counts", events{confirms("b"), confirms("a")}, SeedRun{Status: "done"}, true, "confirmed: it is NaN in b"},
		{"confirmed and unsure", events{confirms("a"), unsure("a", 9)}, SeedRun{Status: "done"}, true, "confirmed: it is NaN in a"},
		{"confirmed, then killed", events{confirms("a"), evaluated("a", 4)}, SeedRun{Status: "killed"}, false, "confirmed: it is NaN in a"},
		{"as often as required", events{clean("a", 5)}, SeedRun{Status: "done"}, true, "refuted: all finite in a"},
		{"too seldom", events{clean("a", 4)}, SeedRun{Status: "done"}, true, "inconclusive: only 4 of the 5 evaluations that a verdict needs: run longer"},
		{"nothing to look at", events{upholds("a", 0, 50)}, SeedRun{Status: "done"}, true, "inconclusive: 50 evaluations without what a refutation needs: two groups"},
		{"seldom something to look at", events{upholds("a", 4, 50)}, SeedRun{Status: "done"}, true, "inconclusive: only 4 of 50 evaluations had what a refutation needs (two groups), which takes 5: run longer"},
		{"something to look at in two processes", events{upholds("a", 4, 50), upholds("bb", 1, 50)}, SeedRun{Status: "done"}, true, "refuted: all finite in a"},
		{"unsure", events{unsure("a", 50)}, SeedRun{Status: "done"}, true, "inconclusive: no backward followed"},
		{"together often enough", events{clean("a", 3), clean("bb", 2)}, SeedRun{Status: "done"}, true, "refuted: all finite in a"},
		{"one of two unsure", events{clean("a", 9), unsure("bb", 1)}, SeedRun{Status: "done"}, true, "inconclusive: no backward followed"},
		{"one of two without a word", events{clean("a", 9), evaluated("bb", 1)}, SeedRun{Status: "done"}, true, "inconclusive: a process ended without sending its evidence"},
		{"unsure, but never there", events{unsure("a", 0), clean("bb", 5)}, SeedRun{Status: "done"}, true, "refuted: all finite in bb"},
		{"budget used up", events{clean("a", 5)}, SeedRun{Status: "hits"}, true, "refuted: all finite in a"},
		{"crash before", events{placed("placed")}, crash, true, "inconclusive: no verdict was possible, since it raised KeyError: 'x'"},
		{"crash after enough", events{clean("a", 5)}, crash, true, "refuted: all finite in a"},
		{"crash after too few", events{clean("a", 4)}, crash, true, "inconclusive: only 4 of the 5 evaluations that a verdict needs: run longer"},
		{"killed", events{evaluated("a", 64)}, SeedRun{Status: "killed", Signal: "killed"}, false, "inconclusive: no verdict was possible, since a signal killed it (killed)"},
		{"out of time", events{clean("a", 0)}, SeedRun{Status: "timeout"}, true, "inconclusive: no verdict was possible, since it ran out of time; give it more with --timeout"},
		{"out of memory", nil, SeedRun{Status: "memory"}, false, "inconclusive: no verdict was possible, since it used more memory than --max-memory allows"},
		{"its own exit, explained", nil, SeedRun{Status: "exit", Exit: 2, Output: "usage: train.py\ntrain.py: error: unrecognized arguments: --x\n"}, true, "inconclusive: no verdict was possible, since it ended with exit code 2 (train.py: error: unrecognized arguments: --x)"},
		{"its own exit", nil, SeedRun{Status: "exit", Exit: 2}, true, "inconclusive: no verdict was possible, since it ended with exit code 2"},
		{"a fault after a confirmation", events{confirms("a"), clean("a", 9)}, SeedRun{Status: "protocol-error", Fault: "line 3 is no event"}, true, "inconclusive: this run proves nothing: line 3 is no event"},
		{"a fault after clean evaluations", events{clean("a", 9)}, SeedRun{Status: "protocol-error", Fault: "line 3 is no event"}, true, "inconclusive: this run proves nothing: line 3 is no event"},
		{"a fault before anything", nil, SeedRun{Status: "protocol-error", Fault: "line 1 is no event"}, false, "inconclusive: this run proves nothing: line 1 is no event"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r runEvidence
			for _, e := range c.events {
				r.add(e)
			}
			s := r.judge(&c.run, c.completed)
			if got := fmt.Sprintf("%s: %s", s.Verdict, s.Reason); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if (s.Confirmation != nil) != (s.Verdict == Confirmed) {
				t.Errorf("%s with confirmation %v", s.Verdict, s.Confirmation)
			}
		})
	}
}

// TestVerdictOfPlan: one run confirms; to refute takes all of them.
func TestVerdictOfPlan(t *testing.T) {
	for runs, want := range map[string]string{
		"":                                     "inconclusive: no seed was run",
		"refuted refuted":                      "refuted: 1",
		"refuted confirmed inconclusive":       "confirmed: 2",
		"refuted inconclusive":                 "inconclusive: 2",
		"refuted not-reached":                  "inconclusive: some runs never evaluated this expression",
		"not-reached not-reached":              "not-reached: 1",
		"not-reached inconclusive not-reached": "inconclusive: 2",
	} {
		var seeds []SeedEvidence
		for i, v := range strings.Fields(runs) {
			seeds = append(seeds, SeedEvidence{Verdict: Verdict(v), Reason: fmt.Sprint(i + 1), Hits: 290, Upheld: 29})
		}
		e := judgePlan(Target{}, seeds)
		if got := fmt.Sprintf("%s: %s", e.Verdict, e.Reason); got != want {
			t.Errorf("%q: %s, want %s", runs, got, want)
		}
		// 58 evaluations that upheld the law: 1 - 0.05^(1/58) = 0.0503.
		if bounded := e.Verdict == Refuted; bounded != (e.Bound > 0.0502 && e.Bound < 0.0504) || !bounded && e.Bound != 0 {
			t.Errorf("%q: bound %v", runs, e.Bound)
		}
	}
}

// TestFixVerdict: what the fixed program did, and what that says of the fix.
func TestFixVerdict(t *testing.T) {
	seen := func(v Verdict, hits int) Evidence {
		return Evidence{Verdict: v, Reason: "R", Seeds: []SeedEvidence{{Hits: hits}}}
	}
	nan := SeedRun{Status: "done", Nonfinite: &Nonfinite{Step: 4, What: "the loss is nan"}}
	crash := SeedRun{Status: "crash", Crash: &Crash{Type: "KeyError", Message: "'x'"}}
	done := SeedRun{Status: "done"}
	for _, c := range []struct {
		name          string
		e             Evidence
		before, after SeedRun
		want          string
		fixes         int
	}{
		{"gone", seen(Refuted, 150), done, done, "fixed: 0 recurrences in 150 evaluations", 1},
		{"gone, seen once", seen(Refuted, 1), done, done, "fixed: 0 recurrences in 1 evaluation", 1},
		{"it cannot tell", seen(Inconclusive, 150), done, done, "not-known: whether the mistake is gone is not known: R", 1},
		{"it cannot tell, though no NaN comes", seen(Inconclusive, 150), nan, done, "not-known: whether the mistake is gone is not known: R", 1},
		{"gone, and NaN with it", seen(Refuted, 150), nan, done, "fixed: 0 recurrences in 150 evaluations; 1 of 1 runs crashed or turned non-finite before, 0 do now", 1},
		{"still there", seen(Confirmed, 150), done, done, "not-fixed: the mistake is still there: R", 1},
		{"cut out", seen(NotReached, 0), done, done, "not-fixed: the fixed program never evaluated this expression", 1},
		{"gone with another", seen(Refuted, 150), nan, done, "fixed: 0 recurrences in 150 evaluations; with both fixes, 1 of 1 runs crashed or turned non-finite before, 0 do now", 2},
		{"gone with others", seen(Refuted, 150), nan, done, "fixed: 0 recurrences in 150 evaluations; with all 3 fixes, 1 of 1 runs crashed or turned non-finite before, 0 do now", 3},
		{"now it crashes", seen(Refuted, 150), done, crash, "not-fixed: the fixed program raises KeyError: 'x'", 1},
		{"now it is NaN", seen(Refuted, 150), done, nan, "not-fixed: the fixed program goes wrong at step 4: the loss is nan", 1},
		{"nobody knows", seen(Inconclusive, 0), done, done, "not-tried: R", 1},
		{"a fault", seen(Inconclusive, 150), done, SeedRun{Seed: 3, Fault: "line 3 is no event"}, "not-tried: seed 3 of the fixed program proves nothing: line 3 is no event", 1},
	} {
		f := JudgeFix(c.e, c.fixes, []SeedRun{c.before}, []SeedRun{c.after})
		if got := f.Verdict + ": " + f.Reason; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
