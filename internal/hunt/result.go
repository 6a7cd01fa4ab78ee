package hunt

import (
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/vet"
)

// Result is what came of a hunt. Its JSON is what `rlvet hunt --output-format json` prints.
// Paths are absolute. A step is the number of optimizer steps before it. Rows and columns
// count from 1; those of a notebook are of the cell.
type Result struct {
	// Script is the file that was run, Args its own arguments, Module its dotted name where
	// it was run as a module.
	Script string   `json:"script"`
	Module string   `json:"module,omitempty"`
	Args   []string `json:"args"`
	// Root is the folder of the project, Dir the working directory.
	Root        string      `json:"root"`
	Dir         string      `json:"-"`
	Environment Environment `json:"environment"`
	// Reproduced says that the failure came again when its seed was run again.
	Reproduced bool `json:"reproduced"`
	// Deterministic says that the second run of the seed had the same losses, bit by bit;
	// nil where no seed was run twice. Difference is the first one where it had not.
	Deterministic *bool       `json:"deterministic"`
	Difference    *Difference `json:"difference"`
	// Failure is the first seed's that failed; nil where none did.
	Failure *Failure `json:"failure"`
	// FirstBad is the operation that made the first bad value; nil where none was found.
	FirstBad *FirstBad `json:"first_bad"`
	// Chain leads from the first bad value to the loss.
	Chain []Link `json:"chain"`
	// Gradients are the functions whose backward was tried against finite differences.
	Gradients []Gradient `json:"gradients"`
	// Changed are tensors that backward needs and that were changed before it ran.
	Changed []Changed `json:"changed_in_place"`
	// Unused are the parameters that an optimizer holds and that never received a gradient
	// other than zero.
	Unused []Unused `json:"unused"`
	// Findings are the static findings that explain it, those of the first bad line first.
	Findings []vet.FindingJSON `json:"findings"`
	Fix      Fix               `json:"fix"`
	// Test is the emitted one, nil where none was asked for.
	Test *Test `json:"test"`
	// Bound is the rate of failing seeds that so many clean ones do not exclude, with 95 %
	// confidence: 1 - 0.05^(1/n); nil where a seed failed.
	Bound *float64 `json:"bound"`
	Seeds []Seed   `json:"seeds"`
	// Layers are the modules of the window that was looked at step by step.
	Layers []Layer `json:"layers"`
	// Window is the first and the last step that were looked at operation by operation.
	Window *[2]int `json:"window"`
	// Notes are what a reader has to know: torch.compile was passed over, and the like.
	Notes []string `json:"notes"`
	// Files are what was written, by what it is: "post-mortem", "page", "test", "record" ...
	Files   map[string]string `json:"files"`
	Seconds float64           `json:"seconds"`
	// Error is what kept the program from being hunted in; then there is little else.
	Error string `json:"error,omitempty"`

	// Texts are the files of the program that the result speaks of, by absolute path.
	Texts map[string][]byte `json:"-"`
	// Record is the folder that the files of recorded inputs lie in while the command runs;
	// "" where nothing was recorded.
	Record string `json:"-"`
}

// Environment says with what the program was run.
type Environment struct {
	Rlvet     string            `json:"rlvet"`
	Python    *harness.Python   `json:"python"`
	Device    string            `json:"device"`
	Isolation harness.Isolation `json:"isolation"`
	// Command is the command line that did it.
	Command string `json:"command"`
}

// Difference is where two runs of a seed parted.
type Difference struct {
	Backward int `json:"backward"`
	// Cause is data, random, parameters, arithmetic or unknown; What is a sentence about it.
	Cause string `json:"cause"`
	What  string `json:"what"`
}

// Failure is how a run went wrong.
type Failure struct {
	// Kind is loss, gradient, parameter, optimizer-state, exception, reward, observation or
	// exploding.
	Kind      string `json:"kind"`
	Seed      int    `json:"seed"`
	Step      int    `json:"step"`
	Backward  int    `json:"backward"`
	Detail    string `json:"detail"`
	Parameter string `json:"parameter,omitempty"`
	Exception string `json:"exception,omitempty"`
	Filename  string `json:"filename,omitempty"`
	Cell      int    `json:"cell,omitempty"`
	Row       int    `json:"row,omitempty"`
	// Process is the one in which it failed, "" for the first of the program.
	Process string `json:"process,omitempty"`
}

// FirstBad is the operation that got good values and made a bad one.
type FirstBad struct {
	// Phase is forward, backward, optimizer or environment.
	Phase string `json:"phase"`
	// Op is the operation's name in torch; Module is the innermost one around it, as
	// "policy.blocks.2.gate", or ""; Function is the class of a custom autograd.Function.
	Op       string  `json:"op"`
	Module   string  `json:"module"`
	Function *string `json:"function"`
	Filename string  `json:"filename"`
	Cell     int     `json:"cell,omitempty"`
	Row      int     `json:"row"`
	Column   int     `json:"column"`
	// EndColumn is behind the last character of the operation, 0 where it is not known.
	EndColumn  int        `json:"end_column,omitempty"`
	Source     string     `json:"source"`
	Why        string     `json:"why"`
	Statistics Statistics `json:"statistics"`
}

// Statistics are those of what an operation got and made.
type Statistics struct {
	Inputs      []Stats `json:"inputs"`
	Outputs     []Stats `json:"outputs"`
	GradientIn  *Stats  `json:"gradient_in"`
	GradientOut *Stats  `json:"gradient_out"`
}

// Stats describe a tensor. Min, Max, Mean and Norm are of its finite elements.
type Stats struct {
	Name  string `json:"name,omitempty"`
	Shape []int  `json:"shape"`
	Dtype string `json:"dtype"`
	Count int    `json:"count"`
	NaN   int    `json:"nan"`
	Inf   int    `json:"inf"`
	Min   *Float `json:"min"`
	Max   *Float `json:"max"`
	Mean  *Float `json:"mean"`
	Norm  *Float `json:"norm"`
}

// Link is an operation on the way of the bad value.
type Link struct {
	Phase    string `json:"phase"`
	Op       string `json:"op"`
	Module   string `json:"module"`
	Filename string `json:"filename"`
	Cell     int    `json:"cell,omitempty"`
	Row      int    `json:"row"`
}

// Layer is what a module did over the steps of the window: norms, NaN where they were.
type Layer struct {
	Module     string   `json:"module"`
	Steps      []int    `json:"steps"`
	Activation []*Float `json:"activation"` // nil where it was not called
	Gradient   []*Float `json:"gradient"`
	BadStep    *int     `json:"bad_step"`
}

// Unused is a parameter without a gradient.
type Unused struct {
	Parameter string `json:"parameter"`
	Shape     []int  `json:"shape"`
	// Why is "never" where none was ever computed, "zero" where all of them were 0.
	Why string `json:"why"`
}

// Gradient is a function and whether its backward is the derivative of its forward.
type Gradient struct {
	Function   string `json:"function"`
	Filename   string `json:"filename"`
	Cell       int    `json:"cell,omitempty"`
	Row        int    `json:"row"`         // of backward's return
	SourceRow  int    `json:"source_row"`  // where what it returns was last assigned
	ForwardRow int    `json:"forward_row"` // of forward
	Module     string `json:"module"`
	// Verdict is right, wrong, surrogate, not-differentiable or untested.
	Verdict          string  `json:"verdict"`
	MaxRelativeError *Float  `json:"max_relative_error"`
	Pattern          *string `json:"pattern"` // how it is wrong, where that is plain
	Reason           string  `json:"reason"`
	Order            int     `json:"order"` // 2 where it is that of backward itself
	Dtype            string  `json:"dtype"`
	Tolerance        *Float  `json:"tolerance"`
	Worst            *Worst  `json:"worst"`
	Ratio            *Float  `json:"ratio"` // of analytic to numeric there
	Step             int     `json:"step"`  // optimizer steps before the call that was tried
	// Points are pairs of what backward said and of the difference quotient.
	Points   [][2]Float `json:"points"`
	Elements int        `json:"elements"`
	Kinks    int        `json:"kinks"`
	Inputs   []Stats    `json:"inputs"`
	Calls    int        `json:"calls"`
	// Record is the file of recorded inputs, in the folder of the result's Record.
	Record *string `json:"record"`
}

// Worst is the element of an input whose derivative is most wrong.
type Worst struct {
	Input    string `json:"input"` // its name in forward
	Index    []int  `json:"index"`
	Analytic Float  `json:"analytic"`
	Numeric  Float  `json:"numeric"`
}

// Fix is what became of the fix.
type Fix struct {
	// Verdict is fixed, not-fixed or not-tried.
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	// Source is the name of the patch's file, or the code of the finding whose fix it is.
	Source string `json:"source,omitempty"`
	// Diff is the change, in git's words.
	Diff   string `json:"diff,omitempty"`
	Before *Trial `json:"before"`
	After  *Trial `json:"after"`
	// Texts are the changed files, by path relative to the project's root.
	Texts map[string][]byte `json:"-"`
	// Reached are the changed lines, and how often they were run.
	Reached []Reached `json:"reached"`
	// Bound is the rate of failing seeds that the clean ones do not exclude; nil where the
	// fix is not one.
	Bound *float64 `json:"bound"`
}

// Trial is the program before the fix or after it, under the same seeds.
type Trial struct {
	Failed    int        `json:"failed"`
	Seeds     []Seed     `json:"seeds"`
	Gradients []Gradient `json:"gradients"`
	Changed   []Changed  `json:"changed_in_place"`
}

// Reached says how often lines of the fixed program were run, in all seeds.
type Reached struct {
	Filename string `json:"filename"`
	Row      int    `json:"row"`
	EndRow   int    `json:"end_row"`
	Hits     *int   `json:"hits"` // nil where no statement stands there
}

// Seed is one run.
type Seed struct {
	Seed int `json:"seed"`
	// Status is clean, failed, or how else the run ended: crash, exit, timeout, memory,
	// killed or lost.
	Status  string   `json:"status"`
	Failure *Failure `json:"failure"`
	// Trouble says what kept the run from its end where that is no failure of training.
	Trouble          string `json:"trouble,omitempty"`
	Steps            int    `json:"steps"`
	EnvironmentSteps int    `json:"environment_steps"`
	Losses           []Loss `json:"losses"`
	Norms            []Norm `json:"norms"`
	SkippedSteps     int    `json:"skipped_steps"` // by a GradScaler
	// VanishedStep is the step from which on, to the end of the run, the norm of the gradient
	// was below 1e-12 of what it had been; nil where it was not.
	VanishedStep *int    `json:"vanished_step"`
	WallSeconds  float64 `json:"wall_seconds"`
	PeakMemory   int64   `json:"peak_memory"`
}
