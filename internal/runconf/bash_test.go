package runconf

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// rowsOf are the rows of a table of docs/shell-and-yaml.md, as their cells.
func rowsOf(t *testing.T, section string) (rows [][]string) {
	page, err := os.ReadFile("../../docs/shell-and-yaml.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "| `") {
			rows = append(rows, strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | "))
		}
	}
	if len(rows) < 10 {
		t.Fatalf("%s: only %d rows", section, len(rows))
	}
	return rows
}

var marks = strings.NewReplacer("↵", "\n", "␍↵", "\r\n", "␍", "\r", "&#96;", "`", "\\|", "|")

// code is the text of a cell.
func code(cell string) string {
	return marks.Replace(strings.Trim(cell, "`"))
}

// TestBash gives each script of the table to bash and to Shell: both say what the table says.
func TestBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Log("NO BASH: only rlvet's own reading is tried")
	}
	const program = `run() { printf run; printf ' [%s]' "$@"; echo; }
command_not_found_handle() { printf 'not found: %s\n' "$1"; }
`
	for _, row := range rowsOf(t, "Shell scripts") {
		script, says, ours := code(row[0]), code(strings.ReplaceAll(row[1], "`", "")), code(strings.ReplaceAll(row[2], "`", ""))
		if bash != "" {
			file := filepath.Join(t.TempDir(), "script.sh")
			if err := os.WriteFile(file, []byte(program+script+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command(bash, "--norc", file)
			command.Env = []string{"PATH=/usr/bin:/bin"}
			out, _ := command.Output()
			if got := strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", ", "); got != says {
				t.Errorf("%q: bash says %q, the table %q", script, got, says)
			}
		}
		if ours == "the same" {
			ours = says
		}
		if got := read(t, script); got != ours {
			t.Errorf("%q: rlvet reads %q, the table says %q", script, got, ours)
		}
	}
}

// read is what Shell says of the commands run of a script.
func read(t *testing.T, script string) string {
	s, err := Shell([]byte(script+"\n"), nil)
	if err != nil {
		t.Errorf("%q: %v", script, err)
		return ""
	}
	var out []string
	for _, c := range s.Commands {
		if c.Words[0].Text != "run" {
			continue
		}
		text := "run"
		for _, w := range c.Words[1:] {
			switch {
			case w.Rest:
				text += " ..."
			case !w.Known:
				text += " [" + w.Text + "?]"
			default:
				text += " [" + w.Text + "]"
			}
		}
		out = append(out, text)
		if c.Cut == nil {
			continue
		}
		for i, w := range c.Cut.Lost {
			if option.MatchString(w.Text) && (i == 0 || c.Cut.Lost[i-1].At.End < w.At.Start-1 && strings.Contains(script[c.Cut.Lost[i-1].At.End:w.At.Start], "\n")) {
				out = append(out, "not found: "+w.Text)
			}
		}
	}
	return strings.Join(out, ", ")
}

// What ends a command is found at its place.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		in, at string
		by     Ender
		lost   string
	}{
		{"run --b 1 \\\n  # --c 2 \\\n  --d 3 \\\n  --e\n", "# --c 2 \\", ByComment, "--d 3 --e"},
		{"run --b 1 \\\n  # one\n  # two\n  --d 3\n", "# one", ByComment, "--d 3"},
		{"run --b 1 \\\n# c \\\na.b=1 2>&1 | tee log\n", "# c \\", ByComment, "a.b=1"},
		{"x | run --b 1 \\\n# c \\\n-d \\\n# e \\\n+f=1\n", "# c \\", ByComment, "-d +f=1"},
		{"run --b 1 # note \\\n  --d 3\n", "# note \\", ByComment, "--d 3"},
		{"run --b 1 \\\n\n  --d 3\n", "\\", ByEmptyLine, "--d 3"},
		{"run --b 1 \\ \n  --d 3\n", "\\ ", ByBlank, "--d 3"},
		{"run --b 1 \\  # note\n  --d 3\n", "# note", ByComment, "--d 3"},
		{"run --b 1 \\\r\n  --d 3\r\n", "\\", ByReturn, "--d 3"},
		{"run --b 1\n  --d 3\n", "--d", Nothing, "--d 3"},
		{"if x; then\n  run --b 1 \\\n # c\n  --d 3\nfi\n", "# c", ByComment, "--d 3"},
		{"A=(--d 3)\nrun --b 1 \\\n # c\n  \"${A[@]}\"\n", "# c", ByComment, "--d 3"},
		{"bash -c 'run --b 1 \\\n # c\n --d'\n", "# c", ByComment, "--d"},
		{"exec run --b 1 \\\n # c\n  --d 3\n", "# c", ByComment, "--d 3"},
		// and what is whole
		{"run --b 1 \\\n  --d 3\n", "", 0, ""},
		{"run --b 1 \\\n  # c \\\nother --d\n", "", 0, ""},
		{"run --b 1 \\\n  # c \\\nX=1 other --d\n", "", 0, ""},
		{"run --b 1\n$X --d\n", "", 0, ""},
		{"A=(--b\n # c\n --d)\n", "", 0, ""},
		{"cat <<E\nrun --b \\\n# c\n --d\nE\n", "", 0, ""},
		{"for x in 1; do run; done\n--d\n", "", 0, ""},
		{"run --b 1\nexit 0\n# old\n  --d 3 \\\n  --e\n", "", 0, ""},
	} {
		s, err := Shell([]byte(c.in), nil)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		var cut *Cut
		for _, command := range s.Commands {
			if name := command.Words[0].Text; (name == "run" || name == "exec" || name == "exit") && command.Cut != nil {
				cut = command.Cut
			}
		}
		if cut == nil {
			if c.lost != "" {
				t.Errorf("%q: nothing is lost", c.in)
			}
			continue
		}
		var lost []string
		for _, w := range cut.Lost {
			lost = append(lost, w.Text)
		}
		if at := c.in[cut.At.Start:cut.At.End]; at != c.at || cut.By != c.by || strings.Join(lost, " ") != c.lost {
			t.Errorf("%q: %q by %d, lost %q", c.in, at, cut.By, lost)
		}
	}
}

// What bash refuses only when it runs makes no script unreadable; what it refuses does.
func TestReadable(t *testing.T) {
	for script, want := range map[string]bool{
		"echo ${a.b}": true, "echo \"${a b} ${c}\"": true, "echo ${}": true, "echo ${x:} ${y@q}": true, "echo ${a-${b.c}}": true, "echo $((1.5))": true,
		"cat <<E\n{{ ${a.b} }} ${x!} ${%y}\nE": true, strings.Repeat("echo ${a.b}\n", 40): true, "echo ${(f)x}": true,
		"echo 'a": false, "echo ${a": false, "if x; then": false, "x & && y": false,
	} {
		if bash, err := exec.LookPath("bash"); err == nil {
			command := exec.Command(bash, "-n")
			command.Stdin = strings.NewReader(script + "\n")
			if accepts := command.Run() == nil; accepts != want {
				t.Errorf("%q: bash -n says %v", script, accepts)
			}
		}
		if got := Readable([]byte(script + "\n")); got != want {
			t.Errorf("%q: readable %v", script, got)
		}
	}
}
