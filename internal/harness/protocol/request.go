package protocol

import "encoding/json"

// Request is what Python is asked to run: one seed of a plan.
type Request struct {
	Protocol            int             `json:"protocol"`
	Root                string          `json:"root"`
	Script              string          `json:"script,omitempty"`
	Module              string          `json:"module,omitempty"`
	Argv                []string        `json:"argv"`
	Seed                int             `json:"seed"`
	Targets             []TargetRequest `json:"targets"`
	MaxHits             int             `json:"max_hits"`
	MaxSteps            int             `json:"max_steps"`
	MaxEnvironmentSteps int             `json:"max_environment_steps"`
	RespectSeeds        bool            `json:"respect_script_seeds"`
	InPlace             bool            `json:"in_place"`
	Instruments         []Instrument    `json:"instruments"`
	Kept                string          `json:"kept"`
}

// TargetRequest is an expression to watch.
type TargetRequest struct {
	ID     int    `json:"id"`
	Code   string `json:"code"`
	File   string `json:"file"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Row    int    `json:"row"`
	EndRow int    `json:"end_row"`
	Text   string `json:"text"`
	Wider  *Span  `json:"wider"`
	Probe  string `json:"probe"`
	// Claimed is set where nothing was found: the probe must see for itself what its rule derives.
	Claimed bool `json:"claimed"`
	// Expression is evaluated behind the statement of the row, instead of what stands there.
	Expression string `json:"expression"`
}

// Span is a range of bytes and the text that stands there.
type Span struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// Instrument is a part of the Python side that watches the whole program rather than one
// expression.
type Instrument struct {
	// Name is its module below rlvet_harness, such as hunt.guards.
	Name string `json:"name"`
	// Settings are handed to it as JSON.
	Settings map[string]any `json:"settings"`
}

// Text is the request as the Python side reads it.
func (r Request) Text() ([]byte, error) {
	r.Protocol = Version
	return json.MarshalIndent(r, "", " ")
}
