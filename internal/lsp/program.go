package lsp

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// program is the files of one of the client's folders, or open files that lie in
// none. It is used by the goroutine that checks.
type program struct {
	root  string
	loose bool           // no folder of the client
	files []config.Input // found on the disk
	looks int            // of the state when they were found
	whole int            // looks of the state when all was checked last
	cache *engine.Cache
	// reporters are the modules that had something to say about a file when all were
	// checked last; nil before that.
	reporters map[string][]string
}

// result is what is known of one file.
type result struct {
	path     string
	buffer   *buffer // nil where the file is not open
	file     *source.File
	settings *config.Settings
	findings []finding.Finding
	problems []finding.Problem
	// What a further check of the file needs.
	rules *rule.Registry
	cache *engine.Cache
	torch string
	// knowledge is made when somebody asks for it.
	knowledge *knowledge
	fixed     *fixed
}

// setup is what all checks of a turn share.
type setup struct {
	rules    *rule.Registry
	resolver *config.Resolver
	trace    func([]byte)
	fresh    func(*config.Settings, []finding.Finding) ([]finding.Finding, error)
}

// group returns the programs that are to be checked.
func (s *server) group(buffers map[string]*buffer) []*program {
	wanted := map[*program]bool{}
	for path := range buffers {
		wanted[s.programOf(path)] = true
	}
	if s.everything {
		for _, root := range s.roots {
			wanted[s.program(root, false)] = true
		}
	}
	var out []*program
	for _, p := range s.programs {
		if wanted[p] {
			out = append(out, p)
		} else if p.loose {
			delete(s.programs, p.root)
		}
	}
	slices.SortFunc(out, func(a, b *program) int { return strings.Compare(a.root, b.root) })
	return out
}

// programOf returns the program of a file: of the innermost folder around it, else
// of its project.
func (s *server) programOf(path string) *program {
	best := ""
	for _, root := range s.roots {
		if within(root, path) && len(root) > len(best) {
			best = root
		}
	}
	if best != "" {
		return s.program(best, false)
	}
	return s.program(filepath.ToSlash(project.Root(project.OS{}, filepath.Dir(path))), true)
}

func within(root, path string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}

func (s *server) program(root string, loose bool) *program {
	p := s.programs[root]
	if p == nil || p.loose != loose {
		p = &program{root: root, loose: loose, cache: engine.NewCache()}
		s.programs[root] = p
	}
	return p
}

// inputs returns the files to check: those of the disk, and open ones that were
// never saved or that git ignores, but none that settings exclude. Open files that
// cannot be read have problems, and are none.
func (p *program) inputs(t *turn) ([]config.Input, error) {
	if p.looks != t.looks && !p.loose {
		files, err := config.Discover(t.setup.resolver, []string{p.root})
		if err != nil {
			return nil, err
		}
		p.files, p.looks = files.Inputs, t.looks
	}
	known := map[string]bool{}
	var out []config.Input
	for _, in := range p.files {
		known[in.Path] = true
		if b := t.buffers[in.Path]; b == nil || b.err == nil {
			out = append(out, in)
		}
	}
	for path, b := range t.buffers {
		if known[path] || b.err != nil || !p.holds(path, t) {
			continue
		}
		settings, err := t.setup.resolver.For(path)
		if err != nil {
			return nil, err
		}
		if !settings.Excludes(filepath.FromSlash(path)) {
			out = append(out, config.Input{Path: path, Settings: settings, Named: true})
		}
	}
	slices.SortFunc(out, func(a, b config.Input) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// holds reports whether an open file belongs to the program and to no inner one.
func (p *program) holds(path string, t *turn) bool {
	if !within(p.root, path) {
		return false
	}
	for _, q := range t.programs {
		if q != p && len(q.root) > len(p.root) && within(q.root, path) {
			return false
		}
	}
	return true
}

// check checks the program, all of it or what is near to the open files, and adds
// the results. complete says that there was no more to check.
func (p *program) check(t *turn, whole bool, results map[string]*result) (complete bool, err error) {
	p.unreadable(t, results)
	inputs, err := p.inputs(t)
	if err != nil || len(inputs) == 0 {
		return true, err
	}
	focus, partly := p.focus(t, inputs)
	if len(focus) == len(inputs) {
		whole = true
	}
	job := vet.Job{Rules: t.setup.rules, Resolver: t.setup.resolver, Inputs: inputs, Coverage: p.coverage(t, inputs)}
	options := p.options(t, job)
	if !whole {
		options.Focus = focus
		job.Inputs = slices.DeleteFunc(slices.Clone(inputs), func(in config.Input) bool { return !focus[in.Path] })
		job.Partly = partly
		options.Settled = p.whole == t.looks
	}
	snapshot, err := engine.Open(t.ctx, paths(inputs), options)
	if err != nil {
		return false, err
	}
	found, err := snapshot.Check(t.ctx)
	if err != nil {
		return false, err
	}
	if whole {
		p.reporters, p.whole = found.Reporters, t.looks
		p.cache.Prune(snapshot)
	}
	verdict := job.Judge(found)
	return whole, p.collect(t, job, options, found, verdict, results)
}

// coverage tells of which inputs the whole project is checked: a folder of the client may
// be a part of it.
func (p *program) coverage(t *turn, inputs []config.Input) *config.Coverage {
	if p.loose {
		return config.NewCoverage(t.setup.resolver, nil, inputs)
	}
	return config.NewCoverage(t.setup.resolver, []string{p.root}, inputs)
}

func paths(inputs []config.Input) []string {
	var out []string
	for _, in := range inputs {
		out = append(out, in.Path)
	}
	return out
}

// mostReporters bounds how many modules that are not open are evaluated for an open
// one before the user pauses: a helper may have hundreds of callers.
const mostReporters = 12

// focus are the open files and those that last reported on them; partly says that
// they are not known, or too many.
func (p *program) focus(t *turn, inputs []config.Input) (focus map[string]bool, partly bool) {
	focus, partly = map[string]bool{}, p.reporters == nil
	for _, in := range inputs {
		if t.buffers[in.Path] == nil {
			continue
		}
		focus[in.Path] = true
		reporters := p.reporters[in.Path]
		if len(reporters) > mostReporters {
			reporters, partly = reporters[:mostReporters], true
		}
		for _, reporter := range reporters {
			focus[reporter] = true
		}
	}
	return focus, partly
}

func (p *program) options(t *turn, job vet.Job) engine.Options {
	o := engine.Options{
		Analyzers: job.Analyzers(), Torch: job.Torch(), Named: map[string]bool{}, Buffers: map[string]*source.File{},
		Cache: p.cache, Trace: t.setup.trace,
	}
	for _, in := range job.Inputs {
		o.Named[in.Path] = in.Named
	}
	for path, b := range t.buffers {
		if b.file != nil {
			o.Buffers[filepath.FromSlash(path)] = b.file
		}
	}
	return o
}

// collect sorts what was found by file.
func (p *program) collect(t *turn, job vet.Job, o engine.Options, found *engine.Result, v config.Judgement, results map[string]*result) error {
	for _, in := range job.Inputs {
		results[in.Path] = &result{
			path: in.Path, buffer: t.buffers[in.Path], file: found.Files[in.Path], settings: in.Settings, rules: job.Rules, cache: p.cache, torch: o.Torch,
			knowledge: &knowledge{}, fixed: &fixed{},
		}
	}
	for _, f := range v.Findings {
		if r := results[f.Range.File]; r != nil {
			r.findings = append(r.findings, f)
		}
	}
	for _, problem := range found.Problems {
		if r := results[problem.File]; r != nil {
			r.problems = append(r.problems, problem)
		}
	}
	var failed error
	for _, in := range job.Inputs {
		r := results[in.Path]
		fresh, err := t.setup.fresh(in.Settings, r.findings)
		if err != nil {
			failed = err
			continue
		}
		r.findings = fresh
	}
	return failed
}

// unreadable says why open files cannot be checked.
func (p *program) unreadable(t *turn, results map[string]*result) {
	for path, b := range t.buffers {
		if b.err == nil || !p.holds(path, t) {
			continue
		}
		problem := finding.Problem{File: path, Message: b.err.Error(), Fatal: true}
		var e *source.Error
		if errors.As(b.err, &e) {
			problem.Line, problem.Message = e.Line, e.Message
		}
		results[path] = &result{path: path, buffer: b, problems: []finding.Problem{problem}}
	}
}
