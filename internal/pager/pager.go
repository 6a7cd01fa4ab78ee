// Package pager shows long texts on a terminal, a screen at a time.
//
// In goes a text, out goes what the reader's own pager makes of it: PAGER, or else less where it is installed. An
// empty PAGER, or cat, means that the reader wants none. Where no pager can be started the text is printed as it is.
package pager

import (
	"io"
	"os"
	"os/exec"
	"strings"
)

// options of less, where the reader has set none, are those of git: a text that fits the screen is printed (F), colours
// are kept (R), and the text stays on the screen afterwards (X).
const options = "LESS=FRX"

// Show writes text to a terminal by the reader's pager. The error is that of printing the text where there is no pager;
// what a pager says of itself stands on stderr, and a reader who leaves it early is no error.
func Show(text string, terminal, stderr io.Writer) error {
	pager := find()
	if pager != nil {
		pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(text), terminal, stderr
	}
	if pager == nil || pager.Start() != nil {
		_, err := io.WriteString(terminal, text)
		return err
	}
	_ = pager.Wait() // it has shown what it could, and said why it stopped
	return nil
}

// find returns the pager to start, nil for none.
func find() *exec.Cmd {
	wanted, chosen := os.LookupEnv("PAGER")
	if !chosen {
		wanted = "less"
	}
	words := strings.Fields(wanted)
	if len(words) == 0 || words[0] == "cat" {
		return nil
	}
	pager := exec.Command(words[0], words[1:]...)
	if os.Getenv("LESS") == "" {
		pager.Env = append(os.Environ(), options)
	}
	return pager
}
