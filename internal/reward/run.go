package reward

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/harness/protocol"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// Request says which function to call, and how.
type Request struct {
	// Request is of one file, which is not run as a script.
	program.Request
	// Function is its name in the file, or an expression such as make(0.5) that yields it; ""
	// is the only one that a trainer could call.
	Function string
	// Framework is one of Frameworks, "" to tell it by the parameters.
	Framework string
	// Data is the file of prompts, "" for built-in ones; Answer the column with what is right,
	// "" looks for it; Form a template of the right answer with {answer}, "" tries many.
	Data, Answer, Form string
	// MaxPrompts bounds the prompts that are tried, Timeout a call, MaxTime all of them, and
	// MaxMemory the bytes of the process that calls.
	MaxPrompts       int
	Timeout, MaxTime time.Duration
	MaxMemory        int64
	Version          string
	// Checked is called once the file was checked; nil for nobody.
	Checked func(*program.Program)
}

// Frameworks are the conventions of calls that can be asked for.
var Frameworks = []string{"trl", "verl", "openrlhf", "plain"}

// Split takes rewards.py:accuracy apart.
func Split(text string) (file, function string, err error) {
	for _, suffix := range []string{".py", ".ipynb"} {
		if at := strings.Index(text, suffix+":"); at >= 0 {
			return text[:at+len(suffix)], strings.TrimSpace(strings.TrimLeft(text[at+len(suffix):], ":")), nil
		}
	}
	if file, name, found := strings.Cut(text, ":"); found && file != "" && !strings.ContainsAny(name, `\/`) {
		path := file
		if module := filepath.FromSlash(strings.ReplaceAll(file, ".", "/")); !paths.Exist(file+".py") && paths.Exist(module+".py") {
			path = filepath.ToSlash(module) // as Python names it
		}
		return "", "", fmt.Errorf("%s is no Python file; name one with its ending: rlvet reward %s.py:%s", file, path, name)
	}
	return text, "", nil
}

// The defaults of a request.
const (
	DefaultPrompts = 12
	DefaultTimeout = 10 * time.Second
	DefaultTime    = 5 * time.Minute
	DefaultMemory  = 4 << 30
)

// job is a request under way.
type job struct {
	*Request
	runner  *program.Runner
	program *program.Program
	plan    harness.Plan
	data    *data
	code    string // the text of the file
	result  *Result
	work    string
	folders int
	until   time.Time
	form    form
}

// Run calls the function and judges what came of it. The error is one line that says what
// kept it from being called.
func Run(ctx context.Context, r Request) (*Result, error) {
	began := time.Now()
	work, err := paths.Temporary()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	j := &job{Request: &r, work: work, until: began.Add(r.MaxTime), result: newResult()}
	j.result.Function, j.result.Version = r.Function, r.Version
	if err := j.open(ctx); err != nil {
		return nil, err
	}
	if err := j.calls(ctx); err != nil {
		return nil, err
	}
	j.result.Seconds = time.Since(began).Seconds()
	return j.result, nil
}

// open finds the file, the prompts and the Python.
func (j *job) open(ctx context.Context) error {
	runner, err := program.NewRunner(j.Request.Request)
	if err != nil {
		return err
	}
	j.runner = runner
	if j.program, err = runner.Locate(runner.Scripts[0]); err != nil {
		return errors.New(strings.NewReplacer("no such script", "no such file", "the script in it that trains", "the file in it that holds the reward function").Replace(err.Error()))
	}
	err = j.program.Vet(ctx)
	if j.Checked != nil && ctx.Err() == nil {
		j.Checked(j.program)
	}
	if err != nil {
		return program.OneLine(err)
	}
	if j.plan, err = j.program.AnyPlan(ctx); err != nil {
		return err
	}
	j.plan.Seeds = []int{0}
	if text, ok := j.plan.Overlay[j.plan.Script]; ok {
		j.code = string(text)
	} else if text, err := os.ReadFile(j.program.Path()); err == nil {
		j.code = string(text)
	}
	if j.Data == "" {
		j.data = builtIn(j.MaxPrompts)
	} else if j.data, err = readData(j.Data, j.Answer, j.code, j.MaxPrompts); err != nil {
		return err
	}
	j.result.File, j.result.Data, j.result.Answer, j.result.Prompts = j.program.Name, j.Data, j.data.answer, len(j.data.prompts)
	j.result.Python, j.result.Findings = j.plan.Python.Path, j.findings()
	return nil
}

// findings are those of the rules for rewards.
func (j *job) findings() []vet.FindingJSON {
	out := []vet.FindingJSON{}
	for _, f := range j.program.Checked.Findings {
		if strings.HasPrefix(f.Code, "RWD") {
			out = append(out, vet.ToJSON(f, ""))
		}
	}
	return out
}

// call is a call to make: completions to prompts, by their numbers.
type call struct {
	// Kind is what the completions are: calls of a kind of which two hang are not made again.
	Kind        string `json:"kind"`
	Prompts     []int  `json:"prompts"`
	Completions []int  `json:"completions"`
	Messages    bool   `json:"messages"`
}

// batch is the calls of one run, and their completions.
type batch struct {
	texts []string
	known map[string]int
	calls []call
}

func (b *batch) text(text string) int {
	if b.known == nil {
		b.known = map[string]int{}
	}
	i, ok := b.known[text]
	if !ok {
		i = len(b.texts)
		b.known[text] = i
		b.texts = append(b.texts, text)
	}
	return i
}

// add adds a call and returns its number.
func (b *batch) add(kind string, messages bool, p *prompt, text string) int {
	b.calls = append(b.calls, call{kind, []int{p.Order}, []int{b.text(text)}, messages})
	return len(b.calls) - 1
}

// told is what Python tells of a run (the file reward of the protocol).
type told struct {
	Failed   *failure  `json:"failed"`
	Function *function `json:"function"`
	Calls    []outcome `json:"calls"`
	Network  []string  `json:"network"`
	Files    []string  `json:"files"`
	Started  []string  `json:"processes"`
	run      harness.SeedRun
}

type failure struct {
	Kind, Type, Message, File, Module string
	Row                               int
	Names                             []string
}

type function struct {
	Name       string   `json:"name"`
	Convention string   `json:"convention"`
	Parameters []string `json:"parameters"`
	Keywords   bool     `json:"keywords"`
	Row        int      `json:"row"`
	BrokenOff  string   `json:"broken_off"`
	Text       []string `json:"text"`
}

// outcome is what came of a call.
type outcome struct {
	Status   string   `json:"status"`
	Seconds  float64  `json:"seconds"`
	Returned string   `json:"returned"`
	Count    int      `json:"count"`
	Rewards  []reward `json:"rewards"`
	Types    []string `json:"types"`
	Error    *raised  `json:"error"`
	Network  bool     `json:"network"`
	StandIn  bool     `json:"stand_in"`
}

type raised struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	File    string `json:"file"`
	Row     int    `json:"row"`
}

// make makes the calls of a batch in a run of their own, in some share of the time that is left.
func (j *job) make(ctx context.Context, step string, b *batch, share float64) (*told, error) {
	prompts := []map[string]any{}
	for _, p := range j.data.prompts {
		prompts = append(prompts, map[string]any{"prompt": p.Asked, "row": p.Row, "right": p.Right})
	}
	seconds := max(1, share*time.Until(j.until).Seconds())
	p := j.plan
	j.folders++
	p.Kept = filepath.Join(j.work, strconv.Itoa(j.folders))
	p.Limits.Timeout = time.Duration(seconds+loadTime.Seconds()+30) * time.Second
	p.Instruments = []harness.Instrument{{Name: "reward", Settings: map[string]any{
		"name": j.Function, "framework": j.Framework, "fill": j.Data == "", "seconds": seconds + loadTime.Seconds(), "load_seconds": loadTime.Seconds(), "call_seconds": j.Timeout.Seconds(),
		"memory": j.MaxMemory, "prompts": prompts, "texts": append([]string{}, b.texts...), "calls": append([]call{}, b.calls...),
	}}}
	report, err := j.runner.RunOne(ctx, step, p)
	if err != nil {
		return nil, err
	}
	t := &told{run: report.Runs[0]}
	j.result.Isolation = report.Isolation
	text, err := os.ReadFile(filepath.Join(p.Kept, "0", "reward.json"))
	if err != nil {
		why := t.run.EndedEarly()
		if t.run.Crash != nil {
			why = "it raised " + t.run.Crash.String()
		}
		return nil, fmt.Errorf("%s: the calls ended without a result: %s", j.program.Name, why)
	}
	if err := protocol.ReadFile("reward.reward", text, t); err != nil {
		return nil, err
	}
	if t.Failed != nil {
		return nil, j.refusal(t.Failed)
	}
	j.note(t)
	return t, nil
}

// loadTime is how long the import of the file may take.
const loadTime = 2 * time.Minute

// note keeps what the calls did besides.
func (j *job) note(t *told) {
	r := j.result
	for _, pair := range []struct {
		into *[]string
		from []string
	}{{&r.Network, t.Network}, {&r.Files, t.Files}, {&r.Started, t.Started}} {
		for _, name := range pair.from {
			if !slices.Contains(*pair.into, name) {
				*pair.into = append(*pair.into, name)
			}
		}
	}
	r.Function, r.Row, r.Framework = t.Function.Name, t.Function.Row, t.Function.Convention
}

// refusal says in one line why nothing was called.
func (j *job) refusal(f *failure) error {
	file := j.program.Name
	at := file
	if f.Row > 0 && (f.File == "" || f.File == filepath.Base(file)) {
		at = fmt.Sprintf("%s:%d", file, f.Row)
	} else if f.Row > 0 {
		at = fmt.Sprintf("%s: %s:%d", file, f.File, f.Row)
	}
	message := words.Plain(f.Message)
	var quoted []string
	for _, n := range f.Names {
		quoted = append(quoted, "`"+words.Plain(n)+"`")
	}
	names := words.And(quoted)
	switch f.Kind {
	case "name":
		if len(f.Names) == 0 {
			return fmt.Errorf("%s: no function %q, nor any other that scores completions", file, j.Function)
		}
		if near := words.Nearest(j.Function, f.Names); near != "" {
			return fmt.Errorf("%s: no function %q; did you mean %q? There are %s", file, j.Function, near, names)
		}
		return fmt.Errorf("%s: no function %q; there are %s", file, j.Function, names)
	case "unnamed":
		if len(f.Names) == 0 {
			return fmt.Errorf("%s: no function in it has the parameters of a reward function; name it: rlvet reward %s:NAME", file, file)
		}
		return fmt.Errorf("%s: which function? Name one of %s: rlvet reward %s:%s", file, names, file, f.Names[0])
	case "class":
		return fmt.Errorf("%s: an object of %s cannot be made without arguments (%s); write %s:'%s(...)' with them, or make one in the file", at, j.Function, message, file, j.Function)
	case "not-callable":
		return fmt.Errorf("%s: %s is %s and cannot be called", file, j.Function, article(message))
	case "convention":
		return fmt.Errorf("%s: %s(%s): its parameters are not those of TRL, verl or OpenRLHF; say how it is called by --framework %s", file, j.Function, message, strings.Join(Frameworks, "|"))
	case "signature":
		if names != "" {
			names = ", and no " + strings.ReplaceAll(names, " and ", " or ")
		}
		return fmt.Errorf("%s: %s(%s) cannot be called as --framework %s calls: %s passes %s%s", file, j.Function, message, j.Framework, j.Framework, passed[j.Framework], names)
	case "column":
		return fmt.Errorf("%s: %s takes `%s`, and %s has no such column (it has %s); add or rename the column", file, j.Function, message, j.Data, strings.ReplaceAll(names, "`", ""))
	}
	if f.Module != "" {
		return fmt.Errorf("%s: it imports %s; %s", at, f.Module, j.plan.Python.Missing(f.Module))
	}
	if f.Type != "" {
		message = f.Type + ": " + message
	}
	return fmt.Errorf("%s: it cannot be imported: %s", at, strings.TrimSuffix(message, ": "))
}

// passed is what frameworks pass.
var passed = map[string]string{
	"trl": "prompts, completions, completion_ids, trainer_state and the columns of the data set, by keywords", "verl": "data_source, solution_str, ground_truth and extra_info, by keywords",
	"openrlhf": "queries, prompts and labels, by position", "plain": "a completion and the right answer",
}

func article(word string) string {
	if word == "None" {
		return word
	}
	if strings.ContainsAny(word[:min(1, len(word))], "aeiou") {
		return "an " + word
	}
	return "a " + word
}

var readsContent = regexp.MustCompile(`\[\s*["'](content|role)["']\s*\]|\.get\(\s*["']content["']`)

// calls finds the form of the right answer, tries the tricks in it, and judges.
func (j *job) calls(ctx context.Context) error {
	first := j.tryForms()
	t, err := j.make(ctx, "forms", &first.batch, 0.25)
	if err != nil {
		return err
	}
	if err := j.unusable(t); err != nil {
		return err
	}
	j.choose(first, t)
	second := j.tryTricks(t.Function)
	if t, err = j.make(ctx, "tricks", &second.batch, 1); err != nil {
		return err
	}
	j.judge(first, second, t)
	return nil
}

var noModule = regexp.MustCompile(`^No module named '([^']+)'`)

// unusable says why a function that was called could not do its work here, nil where it could.
func (j *job) unusable(t *told) error {
	made, bad, standIn, network, imports := 0, 0, 0, 0, 0
	var last *raised
	for _, o := range t.Calls {
		if o.Status == "not-called" || o.Status == "left-out" {
			continue
		}
		made++
		if o.Status != "returned" || o.StandIn {
			bad++
			if o.Error != nil {
				last = o.Error
			}
		}
		if o.StandIn {
			standIn++
		}
		if o.Network && o.Status != "returned" {
			network++
		}
		if o.Error != nil && (o.Error.Type == "ModuleNotFoundError" || o.Error.Type == "ImportError") {
			imports++
		}
	}
	name := j.program.Name + ": " + j.result.Function
	switch {
	case made == 0:
		return fmt.Errorf("%s: no call ended in %s; give more time by --max-time", name, j.MaxTime)
	case bad < made:
	case imports == made:
		if m := noModule.FindStringSubmatch(last.Message); m != nil {
			return fmt.Errorf("%s imports %s; %s", name, m[1], j.plan.Python.Missing(m[1]))
		}
		needs := "raises " + last.String()
		return fmt.Errorf("%s %s, and %s does not have it; activate the environment in which you train, or give --python PATH", name, needs, j.plan.Python.Path)
	case standIn > 0:
		return fmt.Errorf("%s needs a model or a library that is only stood in for here (trl, transformers, datasets, vllm ...); rlvet reward calls functions that compute the reward themselves", name)
	case network > 0 && j.result.Isolation != harness.NoIsolation:
		return fmt.Errorf("%s needs the network (%s), which is blocked, and every call failed (%s); --isolation none allows it", name, words.And(j.result.Network), last)
	}
	return nil
}

// String is "ValueError: too many values", with the line.
func (r *raised) String() string {
	if r == nil {
		return "no reason is known"
	}
	out := words.Plain(r.Message)
	if r.Type != "" {
		out = strings.TrimSuffix(r.Type+": "+out, ": ")
	}
	return out
}
