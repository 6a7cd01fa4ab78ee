// Package cli is the command line: commands, flags and exit codes. It turns flags into
// requests of vet, confirm, watch, hunt, reward and audit, shows what they do meanwhile, and writes
// what came of it.
//
// Inputs are arguments, standard input and the files they name; outputs are
// text on the two streams, files that fixes change, and an exit code: 0 where
// nothing was found, 1 where something was, 2 where something could not be
// done. Every failure is one line that starts with "error: ".
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8/cwriter"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/suppress"
	"github.com/rlvet/rlvet/internal/words"
	"github.com/rlvet/rlvet/rules"
)

// The exit codes.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailure  = 2
)

// Env is what a run takes from its process.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// IsTerminal reports whether a stream is a terminal.
	IsTerminal func(any) bool
}

// Process returns the environment of this process.
func Process() Env {
	return Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, IsTerminal: isTerminal}
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// width is the width of a terminal in cells; 0 of a stream that is none.
func (a *app) width(stream any) int {
	f, ok := stream.(*os.File)
	if !ok || !a.IsTerminal(f) {
		return 0
	}
	width, _, err := cwriter.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// app is one run of the program.
type app struct {
	Env
	rules  *rule.Registry
	args   []string // the command line
	engine findFunc // nil for the engine
	exit   int      // of the command, unless it fails
	color  string   // auto, always or never
}

// findFunc finds in place of the engine. Tests of the command line put their own in, so that
// they do not depend on the wording of rules.
type findFunc func(ctx context.Context, paths []string, o engine.Options) (*engine.Result, error)

// Main runs the program and returns its exit code.
func Main(args []string, env Env) int {
	if why := stranger(env.Getenv); why != "" {
		fmt.Fprintf(env.Stderr, "error: %s\n", why)
		return exitFailure
	}
	registry, err := rule.NewRegistry(slices.Concat(rules.All(), suppress.Rules()), rules.Retired())
	if err != nil {
		fmt.Fprintf(env.Stderr, "error: %v\n", err)
		return exitFailure
	}
	return run(args, &app{Env: env, rules: registry})
}

// run runs a command line. A panic is a mistake of ours, which the user cannot
// fix: it is one line too, with the stack only where RLVET_DEBUG asks for it.
func run(args []string, a *app) (code int) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(a.Stderr, "error: internal error: %v; please report it with the file that caused it\n", v)
			if a.Getenv("RLVET_DEBUG") != "" {
				a.Stderr.Write(debug.Stack())
			}
			code = exitFailure
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a.args = args
	root := a.root()
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
		a.errorf("%v", err)
		return exitFailure
	}
	return a.exit
}

// errorf writes one line "error: ...".
func (a *app) errorf(format string, args ...any) { a.say("error", format, args...) }

// warnf writes one line "warning: ...".
func (a *app) warnf(format string, args ...any) { a.say("warning", format, args...) }

func (a *app) say(kind, format string, args ...any) {
	fmt.Fprintf(a.Stderr, "%s: %s\n", a.paint(kind), words.Plain(fmt.Sprintf(format, args...)))
}

// paint colours the first word of a message on a terminal.
func (a *app) paint(kind string) string {
	if !a.coloured(a.Stderr) {
		return kind
	}
	if kind == "error" {
		return "\x1b[1;31merror\x1b[0m"
	}
	return "\x1b[1;33m" + kind + "\x1b[0m"
}

// coloured reports whether a stream gets colour: as --color says, else where it
// is a terminal. NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and CLICOLOR hold as they do for
// other tools.
func (a *app) coloured(stream any) bool {
	switch {
	case a.color == "always":
		return true
	case a.color == "never":
		return false
	case a.Getenv("NO_COLOR") != "":
		return false
	case slices.ContainsFunc([]string{"FORCE_COLOR", "CLICOLOR_FORCE"}, func(name string) bool { return a.Getenv(name) != "" && a.Getenv(name) != "0" }):
		return true
	case a.Getenv("CLICOLOR") == "0":
		return false
	}
	return a.IsTerminal(stream) && a.Getenv("TERM") != "dumb"
}
