package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/callback"
	"github.com/rlvet/rlvet/internal/audit/view"
)

// report writes the result, and the page where one is asked for, and sets the exit code.
func (u *auditing) report(r *audit.Result) error {
	u.exit = exitClean
	if r.Level == audit.Alert {
		u.exit = exitFindings
	}
	if err := u.writePage(r); err != nil {
		return err
	}
	if u.flags.format == "json" {
		return view.JSON(u.Stdout, r)
	}
	return view.Text(u.Stdout, r, u.look())
}

func (u *auditing) writePage(r *audit.Result) error {
	return writeOutput("--html", u.flags.html, func(w io.Writer) error { return view.Page(w, r, version()) })
}

// look is how standard output shows text: as wide as the terminal is, and in letters where
// the locale has no blocks.
func (u *auditing) look() view.Look {
	return view.Look{Coloured: u.coloured(u.Stdout), Letters: !u.utf8(), Width: u.width(u.Stdout)}
}

// utf8 reports whether the locale can write more than ASCII; where none is set, it can.
func (a *app) utf8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(a.Getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return true
}

// emitCallback prints the Python file, or writes it where there is none yet.
func (a *app) emitCallback(args []string) error {
	switch {
	case len(args) > 1:
		return errors.New("--emit-callback writes one file, and reads no run; give it one name")
	case len(args) == 0 || args[0] == "-":
		_, err := a.Stdout.Write(callback.Python)
		return err
	}
	path := args[0]
	switch old, err := os.ReadFile(path); {
	case err == nil && bytes.Equal(old, callback.Python):
		return nil
	case err == nil:
		return fmt.Errorf("--emit-callback: %s exists and is another file; name a new one", path)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--emit-callback: %w", notWritten(path, err))
	}
	if err := writeFile(path, callback.Python); err != nil {
		return fmt.Errorf("--emit-callback: %w", err)
	}
	return nil
}
