package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// program is one of testdata/hunt. A fault has a kind, and the line at which its first
// bad value arises, or the return of its wrong backward; a correct program has neither.
//
// The first line of a fault's train.py says of it, as `# kind: backward; seeds: 0,1,2;
// failing: 1,2`, under which of the seeds it fails; one line of its folder ends in the mark.
//
// A comment `# right: STATEMENT` before a line of it says what should stand there instead: with that the
// program is correct, and stands among the correct ones as its twin.
type program struct {
	name           string
	folder, script string // the folder to copy, and the script in it
	kind           string // forward, backward, optimizer, environment or gradient; "" for a correct program
	seeds, failing []int
	file           string // of the mark, within the folder
	row            int
	twin           bool // of a fault, with the right statement
}

const mark = "# first bad"

var right = regexp.MustCompile(`(?m)^( *)# right: (.*)\n.*$`)

var header = regexp.MustCompile(`^# kind: (forward|backward|optimizer|environment|gradient); seeds: ([\d,]+); failing: ([\d,]+)\n`)

// readPrograms reads the faults, and then the correct programs, in the order of their names.
func readPrograms(dir string) ([]program, error) {
	faults, err := filepath.Glob(filepath.Join(dir, "faults", "*", "train.py"))
	if err != nil || len(faults) == 0 {
		return nil, fmt.Errorf("%s holds no faults/*/train.py", dir)
	}
	var out, twins []program
	for _, f := range faults {
		p, err := readFault(f)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
		if p.twin {
			twins = append(twins, program{name: p.name + "_mended", folder: p.folder, script: p.script, seeds: p.seeds, twin: true})
		}
	}
	correct, err := filepath.Glob(filepath.Join(dir, "correct", "*.py"))
	for _, f := range correct {
		name := filepath.Base(f)
		out = append(out, program{name: strings.TrimSuffix(name, ".py"), folder: filepath.Dir(f), script: name, seeds: []int{0, 1}})
	}
	return append(out, twins...), err
}

func readFault(script string) (program, error) {
	p := program{folder: filepath.Dir(script), script: filepath.Base(script)}
	p.name = filepath.Base(p.folder)
	text, err := os.ReadFile(script)
	if err != nil {
		return p, err
	}
	m := header.FindStringSubmatch(string(text))
	if m == nil {
		return p, fmt.Errorf("%s: its first line does not say kind, seeds and failing", script)
	}
	p.twin = right.Match(text)
	p.kind, p.seeds, p.failing = m[1], numbers(m[2]), numbers(m[3])
	for _, s := range p.failing {
		if !slices.Contains(p.seeds, s) {
			return p, fmt.Errorf("%s: seed %d fails and is none of its seeds", script, s)
		}
	}
	err = p.findMark()
	return p, err
}

// findMark finds the one line that is marked.
func (p *program) findMark() error {
	files, err := filepath.Glob(filepath.Join(p.folder, "*.py"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if !strings.HasSuffix(line, mark) {
				continue
			}
			if p.row != 0 {
				return fmt.Errorf("%s: more than one line is marked", p.folder)
			}
			p.file, p.row = filepath.Base(f), i+1
		}
	}
	if p.row == 0 {
		return fmt.Errorf("%s: no line ends in %q", p.folder, mark)
	}
	return err
}

func numbers(list string) (out []int) {
	for word := range strings.SplitSeq(list, ",") {
		n, _ := strconv.Atoi(word)
		out = append(out, n)
	}
	return out
}
