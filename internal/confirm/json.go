package confirm

import (
	"encoding/json"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/vet"
)

// MarshalJSON gives what `rlvet confirm --output-format json` prints: an object for one
// script, and an array of them for several.
func (r *Result) MarshalJSON() ([]byte, error) {
	var list []scriptJSON
	for _, s := range r.Scripts {
		list = append(list, s.json())
	}
	if len(list) == 1 {
		return vet.Marshal(list[0], "")
	}
	return vet.Marshal(list, "")
}

// scriptJSON is what a script is in JSON.
type scriptJSON struct {
	Script      string            `json:"script"`
	Environment map[string]any    `json:"environment"`
	Runs        []runJSON         `json:"runs"`
	Findings    []vet.FindingJSON `json:"findings"`
	// FailedClaims are those that are about nothing, and so were not tested.
	FailedClaims []FailedClaim `json:"failed_claims,omitempty"`
	// Error is what kept the script from being checked or run.
	Error string `json:"error,omitempty"`
}

type runJSON struct {
	Seed        int                `json:"seed"`
	Device      string             `json:"device"`
	Status      string             `json:"status"`
	Exit        int                `json:"exit"`
	Hits        int                `json:"hits"`
	Steps       int                `json:"steps"`
	WallSeconds float64            `json:"wall_seconds"`
	PeakMemory  int64              `json:"peak_memory"`
	Nonfinite   *harness.Nonfinite `json:"nonfinite"`
	Crash       *harness.Crash     `json:"crash"`
	// Fault says why what the run sent proves nothing.
	Fault string `json:"fault,omitempty"`
}

// VerdictJSON is what the runs say of a finding, in JSON.
type VerdictJSON struct {
	Verdict harness.Verdict    `json:"verdict"`
	Reason  string             `json:"reason"`
	Seeds   []SeedJSON         `json:"seeds"`
	Bound   *float64           `json:"bound"`
	Fix     harness.FixVerdict `json:"fix"`
	// Claim is what was claimed, where the checker did not find it.
	Claim *ClaimJSON `json:"claim,omitempty"`
}

// ClaimJSON is a claim that was tested, in JSON.
type ClaimJSON struct {
	Claim string `json:"claim"`
	By    string `json:"by,omitempty"`
}

// FailedClaim is a claim that could not be tested, and why.
type FailedClaim struct {
	ClaimJSON
	Reason string `json:"reason"`
}

// SeedJSON is what one run says of it.
type SeedJSON struct {
	Seed         int               `json:"seed"`
	Verdict      harness.Verdict   `json:"verdict"`
	Reason       string            `json:"reason"`
	Hits         int               `json:"hits"`
	FirstHit     *int              `json:"first_hit"`
	Stack        []string          `json:"stack"`
	Seen         json.RawMessage   `json:"seen"`
	Observations []json.RawMessage `json:"observations"`
}

func (s *Script) json() scriptJSON {
	out := scriptJSON{Script: paths.In(s.Dir, s.Name), Environment: map[string]any{"rlvet": s.Version}, Runs: []runJSON{}, Findings: []vet.FindingJSON{}, FailedClaims: s.Failed}
	if s.Outcome != nil {
		out.Environment["python"], out.Environment["isolation"] = s.Python, s.Outcome.Isolation
		out.Environment["reproducible"] = s.Reproducible
		for _, r := range s.Outcome.Runs {
			out.Runs = append(out.Runs, runJSON{r.Seed, r.Device, r.Status, r.Exit, s.hits(r.Seed), r.Steps, r.WallSeconds, r.PeakMemory, r.Nonfinite, r.Crash, r.Fault})
		}
	}
	if s.Failure != nil {
		out.Error = s.Failure.Error()
	}
	for i, f := range s.Findings {
		j := vet.ToJSON(f, s.Dir)
		if s.Outcome != nil {
			j.Confirmation = s.Verdict(i)
		}
		out.Findings = append(out.Findings, j)
	}
	return out
}

func (s *Script) hits(seed int) int {
	n := 0
	for _, e := range s.Outcome.Targets {
		for _, seen := range e.Seeds {
			if seen.Seed == seed {
				n += seen.Hits
			}
		}
	}
	return n
}

// Verdict is what the runs say of a finding.
func (s *Script) Verdict(i int) VerdictJSON {
	e := s.Outcome.Targets[i]
	v := VerdictJSON{Verdict: e.Verdict, Reason: e.Reason, Fix: s.Fix(i)}
	if e.Verdict == harness.Refuted {
		v.Bound = &e.Bound
	}
	if c, ok := s.Claims[i]; ok {
		v.Claim = &ClaimJSON{c.String(), c.By}
	}
	for _, seen := range e.Seeds {
		j := SeedJSON{Seed: seen.Seed, Verdict: seen.Verdict, Reason: seen.Reason, Hits: seen.Hits, Stack: []string{}, Observations: seen.Observations}
		if seen.Confirmation != nil {
			j.FirstHit, j.Stack, j.Seen = &seen.Confirmation.Hit, seen.Confirmation.Stack, seen.Confirmation.Seen
		}
		v.Seeds = append(v.Seeds, j)
	}
	return v
}
