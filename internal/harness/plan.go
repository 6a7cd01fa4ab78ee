package harness

import (
	"time"

	"github.com/rlvet/rlvet/internal/harness/protocol"
	"github.com/rlvet/rlvet/internal/source"
)

// Plan says what to run and what to watch.
type Plan struct {
	// Root is the project's folder, absolute; it is copied for each run.
	Root string
	// Script is the file to run, relative to Root; Module is a dotted name instead.
	Script, Module string
	// Args are the program's own arguments.
	Args []string
	// Seeds are the runs.
	Seeds []int
	// Targets are what to watch.
	Targets []Target
	// Instruments watch the program as a whole.
	Instruments []Instrument
	// Kept is the folder that receives the files which instruments write, in a folder a
	// seed; "" for none.
	Kept string
	// Overlay replaces files of the copies, by path relative to Root.
	Overlay map[string][]byte
	// Notebook is the file whose cells Script is, nil where it is none: for whoever tells of the runs.
	Notebook *source.File `json:"-"`
	// Python runs the program.
	Python *Python
	// Device is "cpu" to hide GPUs, "" for what there is.
	Device string
	// Isolation is what the program is kept from.
	Isolation Isolation
	// RespectSeeds leaves the seeds that the program sets as they are.
	RespectSeeds bool
	// InPlace runs in Root itself instead of a copy.
	InPlace bool
	Limits  Limits
	// Progress is called with what happens, from one goroutine at a time; nil for nobody.
	Progress func(Progress) `json:"-"`
}

// Target is an expression to watch.
type Target struct {
	// ID numbers the targets of a plan.
	ID int
	// Code is the rule's.
	Code string
	// File is relative to Root. Start and End are byte offsets in its text in UTF-8,
	// Row and EndRow the lines, from 1. Text is what stands there.
	File        string
	Start, End  int
	Row, EndRow int
	Text        string
	// Wider is a range around Start and End that is watched instead where an expression
	// stands there: what a fix made of the expression. Zero means none.
	Wider Span
	// Fixed says that the program holds the fix of what was confirmed there.
	Fixed bool
	// Label is what people call a place that is watched for its numbers, "" for a finding.
	Label string
	// Probe is the source of the rule's probe.py.
	Probe string
	// Claimed is set where the checker found nothing: somebody says so.
	Claimed bool
	// Expression is evaluated behind the statement that begins on Row, instead of what stands
	// there; "" for none.
	Expression string
}

// Instrument is a part of the Python side that watches the whole program rather than one
// expression.
type Instrument = protocol.Instrument

// Span is a range of bytes and the text that stands there.
type Span = protocol.Span

// Limits bound a run. Zero means no bound, but for those of which that is said.
type Limits struct {
	Timeout  time.Duration // wall clock; zero: DefaultTimeout
	MaxHits  int           // evaluations of one target that are looked at; zero: DefaultHits
	MaxSteps int           // optimizer steps
	// MaxEnvironmentSteps counts steps of environments made by gym.make.
	MaxEnvironmentSteps int
	MaxMemory           int64 // bytes resident in all processes of a run
	MaxOutput           int64 // bytes of output that are kept; zero: DefaultOutput
	MaxCopy             int64 // bytes of the project that are copied; zero: DefaultCopy
}

// The default limits.
const (
	DefaultTimeout = 10 * time.Minute
	DefaultHits    = 10000
	DefaultOutput  = 1 << 20
	DefaultCopy    = 512 << 20
)

func (l Limits) orDefault() Limits {
	if l.Timeout == 0 {
		l.Timeout = DefaultTimeout
	}
	if l.MaxHits == 0 {
		l.MaxHits = DefaultHits
	}
	if l.MaxOutput == 0 {
		l.MaxOutput = DefaultOutput
	}
	if l.MaxCopy == 0 {
		l.MaxCopy = DefaultCopy
	}
	return l
}
