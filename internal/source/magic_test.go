package source

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Each case is a cell and what the parser sees of it; ␣ stands for a blank that
// a command left.
func TestCommandsAreMasked(t *testing.T) {
	tests := []struct{ name, cell, want string }{
		{"no command", "x = a % b\n", "x = a % b\n"},
		{"line magic", "%matplotlib inline\nx = 1\n", "␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣\nx = 1\n"},
		{"shell", "!ls -l | wc\n", "␣␣␣␣␣␣␣␣␣␣␣\n"},
		{"shell over two lines", "!pip \\\n  install x\ny\n", "␣␣␣␣␣␣\n␣␣␣␣␣␣␣␣␣␣␣\ny\n"},
		{"help before", "?torch\n", "␣␣␣␣␣␣\n"},
		{"help after", "torch.std??\nx\n", "␣␣␣␣␣␣␣␣␣␣␣\nx\n"},
		{"a question in a comment", "x = 1 # why?\n", "x = 1 # why?\n"},
		{"a question in a string", "x = 'why?'\n", "x = 'why?'\n"},
		{"automatic calls", "/f 1\n,f a b\n;f a\n", "␣␣␣␣\n␣␣␣␣␣␣\n␣␣␣␣\n"},
		{"the only statement of a block", "if x:\n    !ls -l\ny\n", "if x:\n    pass␣␣\ny\n"},
		{"a short one in a block", "if x:\n\t!l\n", "if x:\n\t0␣\n"},
		{"a short one before CRLF", "if x:\r\n\t!ls\r\n", "if x:\r\n\t0␣␣\r\n"},
		{"assigned shell", "files = !ls *.py\nx\n", "files = _␣␣␣␣␣␣␣\nx\n"},
		{"assigned magic", "t = %timeit -o f()\n", "t = _␣␣␣␣␣␣␣␣␣␣␣␣␣\n"},
		{"comparison", "a = b != c\n", "a = b != c\n"},
		{"augmented remainder", "a %= 3\nb = a %c\n", "a %= 3\nb = a %c\n"},
		{"remainder on its own line", "x = (a\n  % b\n)\n", "x = (a\n  % b\n)\n"},
		{"remainder after a backslash", "x = a \\\n  % b\n", "x = a \\\n  % b\n"},
		{"text in a long string", "s = '''\n!rm\n%cd\n'''\n!ls\n", "s = '''\n!rm\n%cd\n'''\n␣␣␣\n"},
		{"quotes in strings", `s = "'''"` + "\n!ls\n", `s = "'''"` + "\n␣␣␣\n"},
		{"an escaped quote", `s = 'it\'s'` + "\n!ls\n", `s = 'it\'s'` + "\n␣␣␣\n"},
		{"a string that never ends keeps its line", "s = 'it\n!ls\n", "s = 'it\n␣␣␣\n"},
		{"brackets in a string", "s = '('\n!ls\n", "s = '('\n␣␣␣\n"},
		{"quotes in a command", "!echo \"it's\nx\n", "␣␣␣␣␣␣␣␣␣␣␣\nx\n"},
		{"timed cell", "%%time\nx = 1\n", "␣␣␣␣␣␣\nx = 1\n"},
		{"magics on magics", "\n%%capture out\n%%time\nx = 1\n", "\n␣␣␣␣␣␣␣␣␣␣␣␣␣\n␣␣␣␣␣␣\nx = 1\n"},
		{"a timed statement", "%time x = y\nz\n", "pass;␣x = y\nz\n"},
		{"a timed expression", "%timeit -n 10 -r3 -qo f(x) # ok\n", "pass;␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣f(x) # ok\n"},
		{"%timeit binds nothing", "%timeit x = y\n", "def _():x = y\n"},
		{"a comparison is timed", "%timeit x == f(a=1)\n", "pass;␣␣␣x == f(a=1)\n"},
		{"a profiled statement", "if x:\n\t%prun -l 5 -s cumulative f(x)\r\n", "if x:\n\tpass;␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣f(x)\r\n"},
		{"a timed statement of two lines", "%time f( \\\n  x)\ny\n", "pass;␣f( \\\n  x)\ny\n"},
		{"a timed statement that its line cuts", "%time f(\nx\n", "␣␣␣␣␣␣␣␣\nx\n"},
		{"a timed text that does not end", "%time '''x\ny\n", "␣␣␣␣␣␣␣␣␣␣\ny\n"},
		{"a timed command", "%time !ls\n%time x = !ls\n%time %run x\n%time f?\n", "␣␣␣␣␣␣␣␣␣\n␣␣␣␣␣␣␣␣␣␣␣␣␣\n␣␣␣␣␣␣␣␣␣␣␣␣\n␣␣␣␣␣␣␣␣\n"},
		{"a timed loop", "%time for x in y: f(x)\n%time format(x)\n", "␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣\npass;␣format(x)\n"},
		{"no statement to time", "%time\n%time \n%timeit -n 10\n", "␣␣␣␣␣\n␣␣␣␣␣␣\n␣␣␣␣␣␣␣␣␣␣␣␣␣\n"},
		{"an option that is not known", "%timeit -z 1 x\n%prun -T 'a b' x\n", "␣␣␣␣␣␣␣␣␣␣␣␣␣␣\n␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣\n"},
		{"an indented cell", "\n    # a\n    if x:\n\n        y\nz\n", "\n\f\f\f\f# a\n\f\f\f\fif x:\n\n\f\f\f\f    y\nz\n"},
		{"brackets and text in an indented cell", "\tx = (\n\t1)\n\t'''\n\ta'''\n", "\fx = (\n\t1)\n\f'''\n\ta'''\n"},
		{"commands in an indented cell", "  !ls\n  %time x\n", "\f\f␣␣␣\n\f\fpass;␣x\n"},
		{"a timed cell that is indented", "  %%time\n  x\n", "␣␣␣␣␣␣␣␣\n\f\fx\n"},
		{"a program without %", "pip install -q 'x>=1'\n", "␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣\n"},
		{"a folder without %", "\n  cd ..\n", "\n  ␣␣␣␣␣\n"},
		{"a magic without %", "load_ext autoreload\n", "␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣\n"},
		{"a name of the program", "env - 1\n", "env - 1\n"},
		{"a name in a condition", "ls if x else y\n", "ls if x else y\n"},
		{"what is assigned", "ls = [1]\n", "ls = [1]\n"},
		{"what is called", "pip.main()\n", "pip.main()\n"},
		{"not alone in its cell", "pip install x\ny = 1\n", "pip install x\ny = 1\n"},
		{"wide characters", "!echo é\n", "␣␣␣␣␣␣␣␣\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := masker{text: []byte(test.cell)}
			m.maskCommands()
			if want := strings.ReplaceAll(test.want, "␣", " "); string(m.text) != want || m.foreign {
				t.Errorf("got %q, foreign %v; want %q", m.text, m.foreign, want)
			}
			if back := (&Program{Text: m.text, Masks: m.masks}).restored(0, len(m.text)); string(back) != test.cell {
				t.Errorf("unmasked %q, want %q", back, test.cell)
			}
		})
	}
}

func TestForeignCellsAreMaskedWhole(t *testing.T) {
	for _, cell := range []string{"%%bash\nfor x in a; do\n  echo 'it\ndone\n", "%%html\n<b>\n", "\n  %%writefile x.py\nimport x\n", "%%time\n%%bash\nls\n", "%%cython\ncdef int x\n"} {
		m := masker{text: []byte(cell)}
		m.maskCommands()
		if left := strings.TrimSpace(string(m.text)); left != "" || !m.foreign {
			t.Errorf("%q leaves %q, foreign %v", cell, left, m.foreign)
		}
		if len(m.text) != len(cell) || strings.Count(string(m.text), "\n") != strings.Count(cell, "\n") {
			t.Errorf("%q became %q: offsets moved", cell, m.text)
		}
	}
}

func TestStatementEnd(t *testing.T) {
	for _, test := range []struct{ text, first string }{
		{"import a\nb", "import a\n"},
		{"from a import (\n  b, # )\n  c)\nd", "from a import (\n  b, # )\n  c)\n"},
		{"'''\n(\n'''\nx", "'''\n(\n'''\n"},
		{"import \\\r\n  a\r\nb", "import \\\r\n  a\r\n"},
		{"\nx", "\n"},
		{"# (\nx", "# (\n"},
		{"x = (", "x = ("},
		{"x = %a\ny", "x = %a\n"},
		{"", ""},
	} {
		if end := StatementEnd([]byte(test.text), 0); test.text[:end] != test.first {
			t.Errorf("the first statement of %q is %q, want %q", test.text, test.text[:end], test.first)
		}
	}
}

// TestAutomagic: what is blanked as a magic without %, IPython runs as one, and what it runs as one is no syntax error here.
func TestAutomagic(t *testing.T) {
	cells := []string{
		"pip install x", "pip install 'x>=1' --upgrade", "conda install -y x", "cd ..", "cd -", "cd", "ls", "ls -l", "ls *.py", "\nls -l", "  ls -l", "mkdir -p a/b", "cp -r a b",
		"cat x.py", "rm -rf x", "pwd", "time f(x)", "matplotlib inline", "load_ext autoreload", "run x.py", "env", "env NAME", "history -n",
		"pip = 3", "ls = [1]", "pip.main()", "cd(1)", "ls, x", "if x: pass", "print(x)", "x", "# ls -l", "pip install x\nimport torch", "# c\nls -l", "def f(): pass",
		"time.time()", "env.reset()", "cats and dogs", "name?", "?name", "name??", "x = 1\nname?\ny = 2", "torch.nn?", "ls?",
	}
	python := os.Getenv("RLVET_PYTHON")
	if python == "" {
		python = "python3"
	}
	const program = `
import ast, json, sys
try:
    from IPython.core.interactiveshell import InteractiveShell
except ImportError:
    sys.exit(3)
shell = InteractiveShell.instance()
def valid(code):
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True
def said(cell):
    code = shell.transform_cell(cell)
    return ["get_ipython()" in code, valid(cell)]
print(json.dumps([said(cell) for cell in json.load(sys.stdin)]))
`
	in, err := json.Marshal(cells)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(python, "-c", program)
	command.Env = append(os.Environ(), "IPYTHONDIR="+t.TempDir())
	command.Stdin = bytes.NewReader(in)
	out, err := command.Output()
	var says [][2]bool
	if err != nil || json.Unmarshal(out, &says) != nil || len(says) != len(cells) {
		t.Skipf("NO IPYTHON (%v): nothing is compared with it", err)
	}
	for i, cell := range cells {
		m := masker{text: []byte(cell + "\n")}
		m.maskCommands()
		magic, isPython := says[i][0], says[i][1]
		if masked := len(m.masks) > 0; masked && !magic && strings.TrimSpace(cell) == strings.TrimLeft(cell, "\n") {
			t.Errorf("%q is blanked, and no magic to IPython", cell)
		} else if magic && !masked && !isPython {
			t.Errorf("%q is a magic to IPython, and a syntax error here", cell)
		}
	}
}
