package cli

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// release is the version of this source; a build of a release sets it with -ldflags -X.
var release = unreleased

// unreleased is the version of a build that is not of a tag.
const unreleased = "0.1.0-dev"

// revision is what a hook or a workflow pins to get this program: the tag of a release,
// and else the branch that it came from, since a tag that does not exist fails.
func revision() string {
	v, _, _ := strings.Cut(version(), "+") // +dirty is of a tag whose files were changed
	if v != unreleased {
		return "v" + v
	}
	return "main"
}

// version returns the version of the program: that of the module, where it was
// installed as one.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v[0] == 'v' && len(v) < len("v0.0.0-20060102") {
			return v[1:]
		}
	}
	return release
}

// packageVersion is the variable in which the package for Python says its version when it starts the program.
const packageVersion = "RLVET_PACKAGE_VERSION"

// stranger says why the program is not that of the Python package which started it, in an environment
// where something else replaced one of the two; "" where it is, or where a version says too little: what
// is built of a tag that is no release has a name of Go's making.
func stranger(getenv func(string) string) string {
	told := getenv(packageVersion)
	os.Unsetenv(packageVersion) // scripts that are run may start an rlvet of their own
	program, _, _ := strings.Cut(version(), "+")
	comparable := regexp.MustCompile(`^\d+\.\d+\.\d+(\.dev0)?$`)
	spelt := strings.Replace(program, "-dev", ".dev0", 1) // as pip does
	if told == spelt || !comparable.MatchString(told) || !comparable.MatchString(spelt) {
		return ""
	}
	return fmt.Sprintf("this program is rlvet %s, the Python package is %s; run `pip install --force-reinstall rlvet`", program, told)
}

// commit returns the revision that the program was built from, or "".
func commit() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 9 {
			return s.Value[:9]
		}
	}
	return ""
}

func (a *app) versionCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			switch format {
			case "text":
				_, err := fmt.Fprintf(a.Stdout, "rlvet %s\n", version())
				return err
			case "json":
				return a.printJSON(map[string]any{"version": version(), "commit": commit(), "go": runtime.Version(), "rules": len(a.rules.Entries())})
			}
			return fmt.Errorf("--output-format: %q is none of text, json", format)
		},
	}
	cmd.Flags().StringVar(&format, "output-format", "text", "print as `FORMAT`: text or json")
	return cmd
}

// noArgs refuses arguments by name.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("`%s` takes no arguments, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}
