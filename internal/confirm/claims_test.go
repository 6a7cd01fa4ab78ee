package confirm

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/suppress"
	"github.com/rlvet/rlvet/internal/torchtest"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/rules"
)

// tested has claims tested by one run of a script of testdata/claims with the real torch.
func tested(t *testing.T, script string, claims []claim.Claim) *Script {
	t.Helper()
	python := torchtest.Python(t, "claims are NOT tested with the real torch")
	registry, err := rule.NewRegistry(append(rules.All(), suppress.Rules()...), rules.Retired())
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(t.Context(), Request{NoFixes: true, Claims: claims, Request: program.Request{
		Check:   vet.Request{Rules: registry, Resolver: &config.Resolver{Rules: registry, Isolated: true}},
		Scripts: []string{script}, Python: python,
		Plan: harness.Plan{Seeds: []int{0}, Isolation: harness.NoIsolation, Limits: harness.Limits{Timeout: time.Minute}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := result.Scripts[0]
	if s.Failure != nil {
		t.Fatal(s.Failure)
	}
	return s
}

// marked are the claims in the comments of a script: "# claim: ratio@13", with a column or none.
func marked(t *testing.T, script string) (out []claim.Claim) {
	t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	mark := regexp.MustCompile(`# claim: ([\w-]+)(?:@(\d+))?$`)
	for i, line := range strings.Split(string(text), "\n") {
		if m := mark.FindStringSubmatch(line); m != nil {
			column, _ := strconv.Atoi("0" + m[2])
			out = append(out, claim.Claim{What: m[1], File: script, Line: i + 1, Column: column})
		}
	}
	return out
}

// TestContracts: each contract is confirmed as broken where it is, and nowhere else.
func TestContracts(t *testing.T) {
	for script, want := range map[string]harness.Verdict{"broken.py": harness.Confirmed, "kept.py": harness.Refuted} {
		t.Run(script, func(t *testing.T) {
			torchtest.Project(t)
			path := filepath.Join("testdata", "claims", script)
			claims := marked(t, path)
			s := tested(t, path, claims)
			for _, p := range s.Misplaced() {
				t.Error(p)
			}
			tried := map[string]bool{}
			for i, c := range s.Claims {
				tried[c.What] = true
				if e := s.Outcome.Targets[i]; e.Verdict != want {
					t.Errorf("%s on `%s`: %s: %s", c, e.Target.Text, e.Verdict, e.Reason)
				} else if right := "what a run tells of a " + s.Findings[i].Code + " is right; it "; want == harness.Refuted && !strings.HasPrefix(e.Reason, right) {
					t.Errorf("%s: it was refuted: %s; want %s", c, e.Reason, right)
				}
			}
			for _, q := range claim.Quantities() {
				if !tried[q] {
					t.Errorf("nobody claims anything about the quantity %s", q)
				}
			}
		})
	}
}

// TestClaimsOfRules: the probe of a rule is put where it is claimed, whether the checker says the
// same or not, and claims about nothing do not keep the others from being tested.
func TestClaimsOfRules(t *testing.T) {
	torchtest.Project(t)
	script := filepath.Join("testdata", "claims", "broken.py")
	line := func(what string) int {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		return 1 + strings.Count(strings.SplitN(string(text), what, 2)[0], "\n")
	}
	at := func(rule, what string) claim.Claim {
		return claim.Claim{What: rule, File: script, Line: line(what), By: "a reader"}
	}
	s := tested(t, script, []claim.Claim{
		at("DIST002", "dist = "),     // what the checker finds too
		at("ADV009", "weights = "),   // a division, by 0
		at("ADV009", "done = "),      // no division there
		at("nonsense", "done = "),    // no rule
		at("SEED010", "done = "),     // only where the checker finds it, too
		at("OBJ001", "difference ="), // a difference, of which the loss is not made
	})
	var said []string
	for i, f := range s.Findings {
		said = append(said, f.Code+" "+string(s.Outcome.Targets[i].Verdict)+" by "+s.Claims[i].By)
	}
	for _, p := range s.Misplaced() {
		said = append(said, p.Message[:strings.Index(p.Message, "@")])
	}
	want := []string{"DIST002 confirmed by a reader", "ADV009 confirmed by a reader", "OBJ001 inconclusive by a reader", "claim ADV009", "claim nonsense", "claim SEED010"}
	if !slices.Equal(said, want) {
		t.Errorf("said %q, want %q; misplaced: %v", said, want, s.Misplaced())
	}
}

// TestClaimsOfRightPrograms: a mistake that a right program does not have is not confirmed, whatever tensors of zeros and ones
// lie near, and whatever numbers are rounded to 0.
func TestClaimsOfRightPrograms(t *testing.T) {
	for script, count := range map[string]int{"right.py": 5, "unpadded.py": 1, "others.py": 3} {
		t.Run(script, func(t *testing.T) {
			torchtest.Project(t)
			path := filepath.Join("testdata", "claims", script)
			s := tested(t, path, marked(t, path))
			if len(s.Claims) != count || len(s.Misplaced()) > 0 {
				t.Fatalf("%d claims were tested, want %d; misplaced: %v", len(s.Claims), count, s.Misplaced())
			}
			for i, c := range s.Claims {
				if e := s.Outcome.Targets[i]; e.Verdict != harness.Inconclusive {
					t.Errorf("%s on `%s`: %s: %s", c, e.Target.Text, e.Verdict, e.Reason)
				}
			}
		})
	}
}
