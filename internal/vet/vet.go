// Package vet is `rlvet check`, for whoever wants its findings: command line, editor, agents,
// and the commands that run programs. The engine finds; settings, comments and the baseline
// decide what is shown; fixes are applied until none is left.
//
// Input: a [Request]: files or a text, and the settings that hold for them. Output: a
// [Result], which is plain data for whoever reports. Files are written only where the
// request says so. Limits: reports and exit codes are the command line's; an editor, which
// checks at each keystroke, asks the engine itself and has a [Job] judge what it found.
package vet

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/since"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/suppress"
)

// Request says what to check, and by what.
type Request struct {
	// Paths are files and folders, as they are to be shown; none is the working directory.
	Paths []string
	// Text is checked instead of paths where it is not nil.
	Text *Text

	Rules    *rule.Registry
	Resolver *config.Resolver
	// All keeps the findings that the baseline of the settings knows.
	All bool
	// Since keeps only the findings that concern lines which are new since then; nil keeps
	// all.
	Since *since.Base
	// Write has [Fix] write the files that it changed. Comment is a reason: [Fix] then
	// suppresses, by comments with that reason, instead of applying fixes.
	Write   bool
	Comment string

	Jobs     int          // workers; 0 for one a core
	Store    engine.Store // of what earlier checks found; nil for none
	Identity string       // of the program, for the store
	Version  string       // of rlvet
	Progress func(done, total int)
	Trace    func(stack []byte) // of each panic of an analyzer
	// Records are what a run of the program showed of its modules, by absolute path; nil for none.
	Records map[string]*infer.Record
	// Engine finds; nil is [engine.Check]. Tests put their own in, so that they do not
	// depend on the wording of rules.
	Engine func(ctx context.Context, paths []string, o engine.Options) (*engine.Result, error)
}

// Also has a check run a step of the caller's own on each module, which sees what rules see. Of what an earlier check found
// nothing is taken: the step would miss it.
func (r *Request) Also(step *analysis.Analyzer) {
	find := r.Engine
	if find == nil {
		find = engine.Check
	}
	r.Engine = func(ctx context.Context, paths []string, o engine.Options) (*engine.Result, error) {
		o.Analyzers, o.Store = append(o.Analyzers, step), nil
		return find(ctx, paths, o)
	}
}

// Text is a program that need not be on the disk.
type Text struct {
	Path string // that it stands for; "-" for nothing in particular
	Raw  []byte
}

// Result is what people see of a check.
type Result struct {
	Findings   []finding.Finding // sorted by file and place
	More       []finding.Finding // those that rules in preview, which are off, would add
	Suppressed []suppress.Suppressed
	Problems   []finding.Problem       // what could not be checked, sorted
	Files      map[string]*source.File // by the path in Range.File; may lack some
	Rules      *rule.Registry
	Version    string // of rlvet
	Dir        string // absolute, to which relative paths refer

	Checked   int  // files
	Unread    int  // of these, files that could not be read, where that is no failure
	Hidden    int  // hints that are not shown
	Held      int  // rules that are selected and off, being in preview
	Explicit  bool // these are on only where they are selected by their whole code or name
	Preview   bool // rules in preview may be on
	Baselined int  // findings that the baseline knows
	Gone      int  // entries of the baseline that are found no more
	Old       int  // findings that concern no line that is new
	Fixed     int  // findings whose fixes were applied
	// Changes are the files that fixes changed, by path.
	Changes []Change
	// Warnings are about the settings: selections that have no effect.
	Warnings []string
	// Refused says which fixes were not applied, and why, a line each.
	Refused []string
	// Unheard are the losses of which little was understood, by place: the headline says how
	// little, why the most frequent reason. They are no findings.
	Unheard []finding.Finding
	// UnsafeFixes says that unsafe fixes count as applicable.
	UnsafeFixes bool
	Stats       engine.Stats
}

// Fatal are the problems that kept something from being checked.
func (r *Result) Fatal() []finding.Problem {
	return slices.DeleteFunc(slices.Clone(r.Problems), func(p finding.Problem) bool { return !p.Fatal })
}

// Check opens the files of a request and checks them.
func Check(ctx context.Context, r Request) (*Result, error) {
	files, err := Open(r)
	if err != nil {
		return nil, err
	}
	return files.Check(ctx)
}

// CheckWhole checks for a command that shows the findings beside something else: those that a
// baseline knows too. A file that cannot be checked is the error.
func CheckWhole(ctx context.Context, r Request) (*Result, error) {
	r.All = true
	out, err := Check(ctx, r)
	if err != nil {
		return nil, err
	}
	if fatal := out.Fatal(); len(fatal) > 0 {
		var lines []string
		for _, p := range fatal {
			lines = append(lines, p.String())
		}
		return nil, errors.New(strings.Join(lines, "; "))
	}
	return out, nil
}

// Fix opens the files of a request, checks and fixes them.
func Fix(ctx context.Context, r Request) (*Result, error) {
	files, err := Open(r)
	if err != nil {
		return nil, err
	}
	return files.Fix(ctx)
}

// Files are those of a request.
type Files struct {
	Request
	// Settings are those of the working directory, or of the file that a text stands for.
	Settings *config.Settings
	Inputs   []config.Input
	Problems []finding.Problem // met while looking for files
	Source   *source.File      // the text, where one is checked

	covered *config.Coverage // of the inputs, once somebody asked
}

// coverage tells of which files the whole project is checked.
func (f *Files) coverage() *config.Coverage {
	if f.covered == nil {
		named := f.Paths
		if len(named) == 0 && f.Text == nil {
			named = []string{"."}
		}
		f.covered = config.NewCoverage(f.Resolver, named, f.Inputs)
	}
	return f.covered
}

// Open finds the files to check.
func Open(r Request) (*Files, error) {
	f := &Files{Request: r}
	var err error
	if f.Settings, err = r.Resolver.For("."); err != nil {
		return nil, err
	}
	if r.Text != nil {
		return f, f.openText()
	}
	list := r.Paths
	if len(list) == 0 {
		list = []string{"."}
	}
	files, err := config.Discover(r.Resolver, list)
	if err != nil {
		return nil, err
	}
	f.Inputs, f.Problems = files.Inputs, files.Problems
	f.refuse()
	return f, nil
}

// unread are endings of files that are neither programs nor configurations. Others may be either: hooks name what git says is a script.
var unread = []string{".md", ".rst", ".txt", ".log", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".arrow", ".html", ".pdf", ".png", ".jpg", ".pt", ".safetensors"}

// refuse leaves out files that were named and cannot be checked: to find nothing in them would say nothing.
func (f *Files) refuse() {
	f.Inputs = slices.DeleteFunc(f.Inputs, func(in config.Input) bool {
		if !in.Named || !slices.Contains(unread, strings.ToLower(filepath.Ext(in.Path))) {
			return false
		}
		f.Problems = append(f.Problems, finding.Problem{File: in.Path, Message: "it is neither Python nor a configuration that rlvet reads; it was not checked", Fatal: true})
		return true
	})
}

// openText takes the text as the only file.
func (f *Files) openText() error {
	settings, err := f.Resolver.For(f.Text.Path)
	if err != nil {
		return err
	}
	abs, _ := filepath.Abs(f.Text.Path)
	if settings.ForceExclude && settings.Excludes(abs) {
		return nil
	}
	if f.Source, err = source.FromBytes(f.Text.Path, f.Text.Raw); err != nil {
		f.Problems = append(f.Problems, problemOf(f.Text.Path, err))
		return nil
	}
	f.Settings = settings
	f.Inputs = []config.Input{{Path: f.Text.Path, Settings: settings, Named: true}}
	return nil
}

// AddImports adds the modules of the project that the files import, directly or not, and that no setting excludes.
func (f *Files) AddImports(ctx context.Context) error {
	var list []string
	for _, in := range f.Inputs {
		list = append(list, in.Path)
	}
	program, err := engine.Open(ctx, list, engine.Options{Jobs: f.Jobs})
	if err != nil {
		return err
	}
	for _, path := range program.Imported() {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if settings, err := f.Resolver.For(path); err == nil && !settings.Excludes(abs) {
			f.Inputs = append(f.Inputs, config.Input{Path: path, Settings: settings})
		}
	}
	return nil
}

// problemOf turns an error about a file into a problem.
func problemOf(path string, err error) finding.Problem {
	var e *source.Error
	if errors.As(err, &e) {
		return finding.Problem{File: e.Path, Line: e.Line, Message: e.Message, Fatal: !e.Skipped()}
	}
	return finding.Problem{File: path, Message: err.Error(), Fatal: true}
}

// Warnings say which selections of the settings have no effect, each once.
func (f *Files) Warnings() []string {
	var out []string
	for _, in := range f.Inputs {
		for _, w := range in.Settings.Warnings {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// held is how many rules are selected and off, being in preview: for the file that
// most of them concern.
func (f *Files) held() (most int) {
	for _, in := range f.Inputs {
		most = max(most, len(in.Settings.Held))
	}
	return most
}

// Check checks the files.
func (f *Files) Check(ctx context.Context) (*Result, error) {
	r, err := f.examine(ctx, nil)
	if err != nil {
		return nil, err
	}
	return r, f.dropKnown(r)
}

// Nothing is the result of a check of no files.
func (f *Files) Nothing() *Result {
	r := &Result{
		Rules: f.Rules, Version: f.Version, Dir: paths.Working(), Checked: len(f.Inputs), Held: f.held(), UnsafeFixes: f.Settings.UnsafeFixes,
		Explicit: f.Settings.ExplicitPreview, Preview: f.Settings.Preview,
		Problems: slices.Clone(f.Problems), Warnings: f.Warnings(),
	}
	r.sortProblems()
	return r
}

func (r *Result) sortProblems() {
	slices.SortStableFunc(r.Problems, finding.Problem.Compare)
	r.Problems = slices.Compact(r.Problems)
}

// examine runs the engine over the files and judges what it found. overlay holds texts that
// differ from the disk: files that fixes have changed.
func (f *Files) examine(ctx context.Context, overlay map[string][]byte) (*Result, error) {
	r := f.Nothing()
	if len(f.Inputs) == 0 {
		return r, nil
	}
	job := Job{Rules: f.Rules, Resolver: f.Resolver, Inputs: f.Inputs, Coverage: f.coverage()}
	held := job.Held()
	o := engine.Options{
		Analyzers: slices.Concat(job.Analyzers(), held, []*analysis.Analyzer{pass.Unheard}), Extra: held, Torch: job.Torch(), Named: map[string]bool{}, Overlay: map[string][]byte{},
		Jobs: f.Jobs, Store: f.Store, Identity: f.Identity, Progress: f.Progress, Trace: f.Trace, Records: f.Records,
	}
	if f.Records != nil {
		o.Store, o.Jobs = nil, 1 // what a module knows of another depends on which came first
	}
	var list []string
	for _, in := range f.Inputs {
		list = append(list, in.Path)
		o.Named[in.Path] = in.Named
	}
	if f.Source != nil {
		o.Overlay[f.Source.Path] = f.Source.Raw
	}
	for path, text := range overlay {
		o.Overlay[path] = text
	}
	find := f.Engine
	if find == nil {
		find = engine.Check
	}
	found, err := find(ctx, list, o)
	if err != nil {
		return nil, err
	}
	judged := job.Judge(found)
	r.Findings, r.Suppressed, r.Hidden, r.More = judged.Findings, judged.Suppressed, judged.Hidden, judged.Held
	for _, n := range found.Findings {
		if n.Code == pass.Unheard.Name && slices.Contains(list, n.Range.File) {
			r.Unheard = append(r.Unheard, n)
		}
	}
	r.Problems, r.Files, r.Stats = append(r.Problems, found.Problems...), found.Files, found.Stats
	r.sink(f.Inputs)
	f.weigh(r)
	r.sortProblems()
	return r, f.keepNew(ctx, r)
}

// weigh makes it a failure that a configuration cannot be read which a person named. One in
// a folder may be a template, or data; so may one in the list of a hook, which gives
// force-exclude.
func (f *Files) weigh(r *Result) {
	inputs := map[string]config.Input{}
	for _, in := range f.Inputs {
		inputs[in.Path] = in
	}
	unread := map[string]bool{}
	for i := range r.Problems {
		p := &r.Problems[i]
		in, ok := inputs[p.File]
		if !ok || p.Fatal {
			continue
		}
		if in.Named && !in.Settings.ForceExclude && source.LanguageOf(p.File).Configures() {
			p.Fatal = true
		} else {
			unread[p.File] = true
		}
	}
	r.Unread = len(unread)
}
