package lsp

import (
	"regexp"
	"strings"
)

// # Messages of runs in an editor
//
// What keeps a script from running is said for people at a command line: give --python. In an editor there is a
// setting in its place.

// commandLine are what messages of runs say of the command line.
var commandLine = strings.NewReplacer(
	"activate the environment in which you train, or give --python PATH", "CHOOSE",
	"name the Python in which you train with --python PATH", "CHOOSE",
	"give another with --python", "CHOOSE",
	" (its arguments go after --, its Python is --python PATH, and --show-output shows what it printed)", ", with its arguments, and in the Python in which you train: CHOOSE",
	"an argument, which goes after --", "an argument",
)

var pythonFlag = regexp.MustCompile(`--python\b( PATH)?`)

// spoken is what kept a script from running, in the words of an editor.
func (s *server) spoken(message string) string {
	choose := "set rlvet.python to the Python in which you train"
	if s.client.evidence { // Visual Studio Code, whose extension takes the selected interpreter
		choose = "choose the Python in which you train by the command Python: Select Interpreter, or the setting rlvet.python"
	}
	message = strings.ReplaceAll(commandLine.Replace(message), "CHOOSE", choose)
	return pythonFlag.ReplaceAllString(message, "rlvet.python")
}
