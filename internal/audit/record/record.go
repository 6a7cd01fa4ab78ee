// Package record is what a training run left behind, in one vocabulary: series of metrics
// with units, completions, checkpoints, judgements, and what of it could not be read.
//
// It is plain data, and bounded: a series keeps at most MaxPoints points (neighbours are
// merged, see Series.Add), a batch of completions a sample that is the same prompts at each
// step. Readers fill it (internal/audit/read), the diagnosis reads it (internal/audit).
package record

// Run is everything that was found under one folder.
type Run struct {
	// Dir is the folder, absolute.
	Dir string
	// Trainer is the one whose names were recognised, such as "trl grpo", or "".
	Trainer string
	// Environment says that the policy acts in an environment, as in games and robotics: there
	// are no texts to judge.
	Environment bool
	// Sources are the files that were read, in the order of their paths.
	Sources []Source
	// Unused are the files, and the metrics, that were seen and not used, with the reason.
	Unused []Unused
	// Series are the metrics; several may have one quantity (two loggers, two units).
	Series []*Series
	// Batches are the completions by step, ascending.
	Batches []Batch
	// Checkpoints are the folders of saved weights by step, ascending.
	Checkpoints []Checkpoint
	// Config are the settings of the trainer that were found (beta, num_iterations,
	// response_length, target_kl ...), by the names of the trainer.
	Config map[string]any
	// Judgements are what people or models said of checkpoints.
	Judgements Judgements
	// Others are further runs that lie in the folder, of which nothing is used.
	Others []Other
	// Notes are what a reader has to know: restarts, units that were assumed, and the like.
	Notes []string
}

// Other is a run that lies in the folder beside the one that is used.
type Other struct {
	// Path is its folder, or its log where the folder is not its own; relative, with slashes.
	Path string `json:"path"`
	// Folder says that it has a folder of its own, by which it can be read.
	Folder bool `json:"folder"`
	// Used is the run that is used in its stead, as its folder, or its log.
	Used string `json:"used"`
}

// Source is a file that was read.
type Source struct {
	// Path is relative to the run's folder, with slashes; absolute outside it.
	Path string `json:"path"`
	// Format is "trainer_state", "jsonl", "csv", "tensorboard", "wandb", "parquet" ...
	Format string `json:"format"`
	// Records counts what was read, Bad what was damaged and left out.
	Records int64 `json:"records"`
	Bad     int64 `json:"bad"`
	// Notes say what was wrong with it, one line each: "ends in the middle of a record".
	Notes []string `json:"notes"`
}

// Unused is a file or a metric that was seen and not used.
type Unused struct {
	Path   string `json:"path"`
	Metric string `json:"metric,omitempty"`
	Reason string `json:"reason"`
}

// Checkpoint is a folder of saved weights.
type Checkpoint struct {
	Step int64
	// Path is relative to the run's folder, with slashes.
	Path string
}

// Batch is a sample of the completions that were logged at one step.
type Batch struct {
	// Source is the file.
	Source string
	Step   int64
	// Base says that they are the reference model's, not the policy's.
	Base bool
	// Total counts all completions of the step, Kept are those that were kept: the ones
	// whose prompts have the smallest hashes, so that steps keep the same prompts.
	Total int64
	Kept  []Completion
}

// Completion is a text that a model wrote.
type Completion struct {
	Prompt, Text string
	// Rewards are by the name of the reward function or model; Gold is a score that
	// training does not see, nil where there is none.
	Rewards   map[string]float64
	Advantage *float64
	Gold      *float64
	// Tokens is the length that the tokenizer counted, 0 where it is not logged.
	Tokens int
	// Truncated says that it was cut at the longest length; nil where that is not logged.
	Truncated *bool
	// LogProb and ReferenceLogProb are sums over the tokens, in nats; nil where not logged.
	LogProb, ReferenceLogProb *float64
}

// Judgements are held-out opinions of checkpoints.
type Judgements struct {
	Preferences []Preference
	Scores      []Score
}

// Outcome is what a rater said of a checkpoint's completion against the other one.
type Outcome int

// The outcomes.
const (
	Loss Outcome = iota - 1
	Tie
	Win
)

// Preference is one rater's choice between a checkpoint's completion and the base's, or that of
// another checkpoint.
type Preference struct {
	Step int64
	// Against is the step of the other checkpoint, nil for the base model.
	Against       *int64
	Prompt, Rater string
	Outcome       Outcome
	// Length and BaseLength are those of the two completions, in one unit; 0 where unknown.
	Length, BaseLength float64
}

// Score is a held-out score of a checkpoint on one prompt, higher is better.
type Score struct {
	Step          int64
	Prompt, Rater string
	Value         float64
}
