package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/words"
)

// Run is a program to run. What is zero is left to the server's own limits.
type Run struct {
	Script string   `json:"script,omitempty" jsonschema:"the script to run"`
	Module string   `json:"module,omitempty" jsonschema:"the module to run instead of a script, such as package.train"`
	Args   []string `json:"args,omitempty" jsonschema:"the program's own arguments: choose them so that a run is short"`
	Select []string `json:"select,omitempty" jsonschema:"rules to confirm instead of those that the settings select"`
	// Claims are tested instead of what is found.
	Claims   []claim.Fields `json:"claims,omitempty" jsonschema:"what you say is wrong: each is tested by the runs instead of what check finds"`
	Seeds    []int          `json:"seeds,omitempty" jsonschema:"seeds to run, a run each (default 0 to 4)"`
	Timeout  string         `json:"timeout,omitempty" jsonschema:"time for each run, such as 90s or 10m"`
	MaxSteps int            `json:"max_steps,omitempty" jsonschema:"end a run after so many optimizer steps"`
}

// Confirmed is what came of it.
type Confirmed struct {
	Verdicts []Verdict `json:"verdicts"`
	Notes    []string  `json:"notes,omitempty"`
}

// Verdict is what the runs say of one finding.
type Verdict struct {
	Code    string `json:"code"`
	Path    string `json:"path"`
	Cell    int    `json:"cell,omitempty"`
	Line    int    `json:"line"`
	Verdict string `json:"verdict" jsonschema:"confirmed, refuted, not-reached or inconclusive"`
	Reason  string `json:"reason,omitempty"`
	Runs    int    `json:"runs"`
	Agree   int    `json:"agree" jsonschema:"runs that say the same by themselves"`
	Fix     string `json:"fix,omitempty" jsonschema:"what became of the finding once its fix was applied to a copy"`
	Claim   string `json:"claim,omitempty" jsonschema:"the claim that this is about, where it was claimed"`
}

var confirmTool = sdk.Tool{
	Name: "confirm", Title: "Run a script to confirm findings",
	Description: "Run a training script under several seeds in a copy of its project, watch the expressions that check reports, and say whether each finding is true " +
		"of the runs. Then apply the fixes to a copy and run again. With claims, test what you say instead: the probe of a rule, or the contract of a quantity " +
		"(" + strings.Join(claim.Quantities(), ", ") + "), is put on the expression at a line. This takes as long as a dozen runs of the script: pass arguments, max_steps or a " +
		"timeout that keep a run short.",
	Annotations: &sdk.ToolAnnotations{},
}

// answerConfirm is the tool.
func (o Options) answerConfirm(ctx context.Context, req *sdk.CallToolRequest, in Run) (*sdk.CallToolResult, Confirmed, error) {
	defer beating(ctx, req, "running the program")()
	request, err := o.confirmRequest(in)
	if err != nil {
		return nil, Confirmed{}, err
	}
	result, err := o.confirm(ctx, request)
	if err == nil {
		err = result.Scripts[0].Err()
	}
	if err != nil {
		return nil, Confirmed{}, err
	}
	confirmed := confirmedOf(result.Scripts[0])
	return text(confirmed.lines()), confirmed, nil
}

// lines are the verdicts to read.
func (c Confirmed) lines() string {
	var b strings.Builder
	for _, v := range c.Verdicts {
		place := v.Path
		if v.Cell > 0 {
			place += fmt.Sprintf(":cell %d", v.Cell)
		}
		fmt.Fprintf(&b, "%s:%d: %s %s in %d of %s", place, v.Line, v.Code, v.Verdict, v.Agree, words.Count(v.Runs, "run"))
		if v.Reason != "" {
			fmt.Fprintf(&b, ": %s", v.Reason)
		}
		if v.Fix != "" {
			fmt.Fprintf(&b, "; fix: %s", v.Fix)
		}
		b.WriteByte('\n')
	}
	if len(c.Verdicts) == 0 {
		b.WriteString("No findings: nothing to confirm, and nothing was run.\n")
	}
	return b.String() + strings.Join(c.Notes, "\n")
}

// beat is how often a client that wants to know is told that a call still runs.
const beat = 5 * time.Second

// beating tells the client, if it wants to know, that a call is still at work, since
// clients give up on silent ones. It returns what ends that.
func beating(ctx context.Context, req *sdk.CallToolRequest, what string) (end func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	begun := time.Now()
	tell := func() {
		spent := time.Since(begun)
		// a client that does not hear it is no reason to end the call
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: spent.Seconds(), Message: fmt.Sprintf("%s for %s", what, spent.Truncate(time.Second)),
		})
	}
	tell()
	ctx, end = context.WithCancel(ctx)
	go every(ctx, beat, tell)
	return end
}

// every calls f again and again until ctx ends.
func every(ctx context.Context, pause time.Duration, f func()) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			f()
		}
	}
}
