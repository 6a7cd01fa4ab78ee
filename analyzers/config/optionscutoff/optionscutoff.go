// Package optionscutoff is rule CFG024, options-cut-off; rule.md says what it finds.
package optionscutoff

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/words"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

const (
	manual = "https://www.gnu.org/software/bash/manual/bash.html#Escape-Character"
	toUnix = "save the script with the line ends of Unix (`dos2unix`)"
)

// Analyzer reports commands of a launch script that end before their options do.
var Analyzer = pass.ScriptRule(Doc, run)

func run(p *pass.Pass) {
	seen := map[runconf.Span]bool{} // a function may be called again
	stopped := map[*pass.Source]bool{}
	for _, c := range p.Source.Cut {
		in, at := p.OfScript(c.Cut.At)
		names := options(c.Cut.Lost)
		if in == nil || seen[c.Cut.At] || len(names) == 0 {
			continue
		}
		seen[c.Cut.At] = true
		text := in.File.Text
		if c.Cut.By == runconf.ByReturn {
			if line := stopsAt(text); line > 0 {
				if !stopped[in] {
					p.Report(stops(in, at, line))
				}
				stopped[in] = true
				continue
			}
		}
		ends, help := says(c, text)
		number := words.Count(len(names), "option")
		f := pass.Finding{
			At: at, In: in, Evidence: domain.FromTable, Message: number + " " + words.Choose(len(names), "never reaches", "never reach") + " the program",
			Why:  fmt.Sprintf("%s: to bash %s %s, and the program runs without", ends, listed(names), words.Choose(len(names), "belongs to another command", "belong to another command")),
			Help: help, Source: manual,
		}
		if c.Cut.By != runconf.Nothing {
			if lost, node := p.OfScript(c.Cut.Lost[0].At); lost != nil {
				f.Related = append(f.Related, pass.Related{Source: lost, Node: node, Message: "bash begins a new command here"})
			}
		}
		p.Report(f)
	}
}

// ofBlock is the word of a block of commands that is none to bash, for the carriage return behind it.
var ofBlock = regexp.MustCompile(`(?m)(?:^|[ \t;])(?:do|done|then|else|fi|esac)[ \t]*\r$`)

// stopsAt is the first line at which bash cannot read a script with carriage returns, 0 where it reads all: it then runs none, or
// what stands before the block.
func stopsAt(text []byte) int {
	for _, at := range ofBlock.FindAllIndex(text, -1) {
		line := text[bytes.LastIndexByte(text[:at[1]], '\n')+1 : at[1]]
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			return bytes.Count(text[:at[1]], []byte{'\n'}) + 1
		}
	}
	return 0
}

// stops is the one finding for a script that bash does not read to its end: whoever runs it is told, so that it is a warning.
func stops(in *pass.Source, at ast.Node, line int) pass.Finding {
	return pass.Finding{
		At: at, In: in, Evidence: domain.FromTable, Severity: finding.Warning, Message: "bash cannot read this script: its lines end in carriage returns",
		Why:  fmt.Sprintf("the word at the end of line %d is none to bash for the carriage return behind it: a syntax error, and no option reaches the program", line),
		Help: toUnix, Source: manual,
	}
}

// options are the names of the options among words, each once.
func options(lost []runconf.Word) (names []string) {
	seen := map[string]bool{}
	for _, w := range lost {
		name, _, isPair := strings.Cut(w.Text, "=")
		isFlag := strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text[1:min(3, len(w.Text))], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if (isPair || isFlag) && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// listed names the first few of them.
func listed(names []string) string {
	var out []string
	for i, name := range names {
		if i == 2 && len(names) > 3 {
			out = append(out, fmt.Sprintf("%d more", len(names)-i))
			break
		}
		out = append(out, quoted(name[strings.LastIndexByte(name, '.')+1:]))
	}
	return words.And(out)
}

// quoted is a part of the script in a message, on one line.
func quoted(text string) string {
	const most = 40
	text = strings.ReplaceAll(words.Plain(text), "`", "'")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-3]) + "..."
	}
	return "`" + text + "`"
}

// says is what ends a command, and what to change.
func says(c *runconf.Command, text []byte) (ends, help string) {
	at := c.Cut.At
	row := bytes.Count(text[:at.Start], []byte{'\n'}) + 1
	first := bytes.Count(text[:c.At.Start], []byte{'\n'}) + 1
	switch c.Cut.By {
	case runconf.ByComment:
		comment := quoted(string(text[at.Start:at.End]))
		return "the comment ends the command", fmt.Sprintf("move %s from line %d above line %d, where the command begins", comment, row, first)
	case runconf.ByEmptyLine:
		return "the empty line ends the command", fmt.Sprintf("remove line %d, which is empty", row+1)
	case runconf.ByBlank:
		return "the backslash stands before a blank, and not at the end of its line", fmt.Sprintf("remove the blank at the end of line %d", row)
	case runconf.ByReturn:
		return "the line ends in a carriage return, which the backslash stands before", toUnix
	}
	return "no backslash ends the line before", fmt.Sprintf("end line %d in ` \\`", row-1)
}
