package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// FuzzFix fixes programs that were bent into unusual forms: no fix is refused or
// undone by another, what parsed still parses, by our parser and by the
// machine's Python, and fixing again changes nothing.
//
// The text is bent by strokes before it is fixed, because a changed byte seldom
// leaves Python, while a joined, nested, renamed or folded line does.
func FuzzFix(f *testing.F) {
	if !machine.takes([]byte("x = 1\n")) {
		f.Log("no python3 on this machine: its parser is not asked")
	}
	added := map[string]bool{} // pages show a text more than once
	for _, files := range programs(f) {
		for _, text := range files {
			if len(text) > largest || added[text] {
				continue
			}
			added[text] = true
			if len(files) > 1 { // of one file, unbent, TestFixesOfRules asks the same: it parses, Python takes it, and the second run changes nothing
				f.Add(text, []byte(nil))
			}
			f.Add(text, []byte("folded\x05\x10\x20\x06\x03\x08\x07\x09"))
		}
	}
	f.Fuzz(func(t *testing.T, text string, strokes []byte) {
		if len(text) > largest || len(strokes) > 60 {
			return
		}
		text = bend(text, strokes)
		before, err := source.FromBytes("train.py", []byte(text))
		if err != nil {
			return
		}
		fixed := fixText(t, text)
		if fixed == text {
			return
		}
		after, err := source.FromBytes("train.py", []byte(fixed))
		if err != nil || !vet.ParsesAsWell(after, before) {
			t.Fatalf("parses worse (%v):\n%s\nbecame\n%s", err, text, fixed)
		}
		if machine.takes(before.Text) && !machine.takes(after.Text) {
			t.Fatalf("Python takes\n%s\nbut not\n%s", text, fixed)
		}
		if again := fixText(t, fixed); again != fixed {
			t.Fatalf("the second run changed\n%s\nto\n%s", fixed, again)
		}
	})
}

// largest is the size of the programs that are bent: larger ones take long and
// teach no more.
const largest = 8 << 10

// fixText returns text with all fixes applied. Whatever the program says of
// itself is a failure.
func fixText(t *testing.T, text string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := Env{Stdin: strings.NewReader(text), Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false }}
	args := []string{"check", "--isolated", "--preview", "--select", "ALL", "--fix", "--unsafe-fixes", "--output-format", "concise", "--stdin-filename", "train.py", "-"}
	Main(args, env)
	if strings.Contains(stderr.String(), "please report it") {
		t.Fatalf("%s\nof\n%s", &stderr, text)
	}
	return stdout.String()
}

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// bend changes lines of a program; three bytes of strokes are what to do, where,
// and with which other line.
func bend(text string, strokes []byte) string {
	lines := strings.Split(text, "\n")
	for ; len(strokes) >= 3 && len(lines) < 500; strokes = strokes[3:] {
		i, j := int(strokes[1])%len(lines), int(strokes[2])%len(lines)
		line := lines[i]
		if len(line) > largest { // a line that is put behind itself doubles each time
			break
		}
		body := strings.TrimLeft(line, " \t")
		indent := line[:len(line)-len(body)]
		switch strokes[0] % 13 {
		case 0:
			lines = append(lines[:i:i], lines[min(i+1, len(lines)-1):]...)
		case 1:
			lines[j] = line
		case 2:
			lines[i], lines[j] = lines[j], line
		case 3:
			lines[i] = indent + "if True: " + body
		case 4:
			lines[i] = line + "; " + strings.TrimSpace(lines[j])
		case 5:
			lines[i] = strings.ReplaceAll(line, ", ", ",  # why\n"+indent+"        ")
		case 6:
			lines[i] = strings.ReplaceAll(line, " ", " \\\n ")
		case 7:
			lines[i] = strings.Replace(line, " = ", " = (", 1) + ")"
		case 8:
			lines[i] = strings.Replace(line, "(", "( \n\t", 1)
		case 9:
			lines[i] = strings.ReplaceAll(line, ")", " )")
		case 10:
			lines[i] = exchange(line, lines[j], int(strokes[2]))
		case 11:
			lines[i] = indent + "f'{" + body + "}'"
		default:
			lines[i] = line + "  # noqa: " + []string{"ADV009", "E501", "ADV009, E501"}[j%3]
		}
	}
	return strings.Join(lines, "\n")
}

// exchange puts a word of other in the place of one of line.
func exchange(line, other string, n int) string {
	at, words := word.FindAllStringIndex(line, -1), word.FindAllString(other, -1)
	if len(at) == 0 || len(words) == 0 {
		return line
	}
	place := at[n%len(at)]
	return line[:place[0]] + words[n%len(words)] + line[place[1]:]
}

// parser is the machine's Python, asked whether it can parse texts.
type parser struct {
	start  sync.Once
	mu     sync.Mutex
	input  io.Writer
	output *bufio.Reader
}

var machine parser

const asked = `
import ast, sys, warnings
warnings.simplefilter("ignore")
while size := sys.stdin.buffer.readline():
    text = sys.stdin.buffer.read(int(size))
    try:
        ast.parse(text)
        print("yes", flush=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        print("no", flush=True)
`

// takes reports whether Python parses text; without a Python, nothing is taken.
func (p *parser) takes(text []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start.Do(p.run)
	if p.output == nil {
		return false
	}
	fmt.Fprintf(p.input, "%d\n", len(text))
	p.input.Write(text)
	answer, _ := p.output.ReadString('\n')
	return answer == "yes\n"
}

func (p *parser) run() {
	cmd := exec.Command("python3", "-c", asked)
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if errIn == nil && errOut == nil && cmd.Start() == nil {
		p.input, p.output = in, bufio.NewReader(out)
	}
}
