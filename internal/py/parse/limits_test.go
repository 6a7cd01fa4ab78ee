package parse

import (
	"context"
	"errors"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/asttest"
)

func mustParse(t *testing.T, p *Parser, text string) *ast.Module {
	t.Helper()
	m, err := p.Parse(context.Background(), "test.py", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestQuadraticInputs parses sources that cost tree-sitter alone minutes: they
// must stay within the ordinary limit, and what can be kept must be kept.
func TestQuadraticInputs(t *testing.T) {
	repeat := strings.Repeat
	for _, c := range []struct {
		name, text         string
		statements, errors int
	}{
		{"unterminated triple quote", "a = 1\nx = '''" + repeat("abc def\n", 100_000), 2, 1},
		{"comments in a block", "def f():\n    x = 1\n" + repeat("    # comment\n", 100_000) + "    return x\ny = 2\n", 2, 0},
		{"comments before a dedent", "def f():\n    x = 1\n" + repeat("  # comment\n", 100_000) + "y = 2\n", 2, 0},
		{"joined lines", "x = 1 + " + repeat("\\\n", 300_000) + "2\n", 1, 0},
		{"empty lines in a block", "def f():\n    x = 1\n" + repeat("\n", 500_000) + "    return x\n", 1, 0},
		{"line ends of CR alone", repeat("x = 1\r", 20_000), 20_000, 0},
		{"open f-strings", repeat("f'{", 50_000), 1, -1},
		{"conflicts without end", repeat("<<<<<<< a\n=======\n", 20_000), 0, 20_000},
		{"long operator chain", "x = " + repeat("a & ", 50_000) + "b\n", 1, -1},
		{"the densest lines", repeat("x=1\n", 1<<18), 1 << 18, 0},
		{"short calls", repeat("a(b)\n", 200_000), 200_000, 0},
		{"walruses", repeat("(a:=b)\n", 150_000), 150_000, 0},
		{"many elifs", "if a: b\n" + repeat("elif c: d\n", 20_000), 1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := New()
			defer p.Close()
			m := mustParse(t, p, c.text)
			if len(m.Body) != c.statements {
				t.Errorf("%d statements, want %d", len(m.Body), c.statements)
			}
			if c.errors >= 0 && len(m.Errors) != c.errors {
				t.Errorf("%d errors, want %d", len(m.Errors), c.errors)
			}
			if err := checkModule(m); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStrangeInputs feeds what nobody writes; the parser must survive it, and
// what follows in the next file must not suffer.
func TestStrangeInputs(t *testing.T) {
	p := New()
	defer p.Close()
	repeat := strings.Repeat
	for name, text := range map[string]string{
		"zero bytes":        repeat("\x00", 1<<20),
		"zeros in a string": "x = '" + repeat("\x00", 1<<20) + "'\n",
		"no UTF-8":          repeat("\xff\xfe\n", 1<<18),
		"brackets":          repeat("(", 1<<20),
		"pairs":             repeat("(", 1<<16) + repeat(")", 1<<16),
		"braces":            repeat("{[(", 1<<18),
		"not":               "x = " + repeat("not ", 1<<18) + "y",
		"minus":             "x = " + repeat("-", 1<<19) + "y",
		"attributes":        "x = a" + repeat(".a", 1<<18),
		"lambda":            "x = " + repeat("lambda: ", 1<<16) + "1",
		"deep blocks":       deepBlocks(1200),
		"byte order marks":  repeat("\ufeff", 1<<16),
		"tabs":              repeat("\t", 1<<20) + "x",
		"quotes":            repeat("'\n", 1<<18),
	} {
		m, err := p.Parse(context.Background(), name, []byte(text))
		if err != nil && !errors.Is(err, ErrLimit) {
			t.Fatalf("%s: %v", name, err)
		}
		if err == nil {
			if err := checkModule(m); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if m := mustParse(t, p, "x = 1\n"); len(m.Body) != 1 || len(m.Errors) != 0 {
			t.Fatalf("after %s, x = 1 is %s", name, asttest.DumpModule(m))
		}
	}
}

func deepBlocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	return b.String() + strings.Repeat(" ", n) + "pass\n"
}

// TestLimits checks that a file over a limit is an error that names the limit,
// and that the parser that was cut off does not spoil the next file.
func TestLimits(t *testing.T) {
	p := New()
	p.maxBytes, p.perMiB = 1<<20, time.Microsecond
	defer p.Close()
	slow := []byte(strings.Repeat("x = f(a, b)[c]\n", 60_000))
	for name, text := range map[string][]byte{"over 1 MB": make([]byte, 1<<20+1), "of processor time": slow} {
		_, err := p.Parse(context.Background(), "big.py", text)
		if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "big.py") {
			t.Errorf("the error %v does not say %q", err, name)
		}
	}
	p.perMiB = time.Minute
	if m := mustParse(t, p, "y = 2\n"); asttest.DumpModule(m) != "(Assign Targets=[(Name \"y\")] Value=(Number \"2\"))\n" {
		t.Errorf("after a parse that was cut off: %s", asttest.DumpModule(m))
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Parse(cancelled, "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
}

// Time in which the thread does not run does not count.
func TestDeadlineIsOfTheProcessor(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const limit = 50 * time.Millisecond
	ctx, d := begin(limit)
	time.Sleep(4 * limit)
	if used, _ := d.end(); used >= limit || ctx.Err() != nil {
		t.Errorf("asleep, it used %v of the processor, and its context says %v", used, ctx.Err())
	}
	ctx, d = begin(limit)
	for ctx.Err() == nil {
		// The limit ends this loop, or nothing does.
	}
	if used, stretched := d.end(); used < limit || stretched < limit {
		t.Errorf("cut off after %v of %v, at first %v", used, stretched, limit)
	}
}

// Where there is no time to parse once more, the first tree is kept with what
// the scanner says of the text as it is.
func TestNoTimeToParseAgain(t *testing.T) {
	const text = "x = 1\ny = = 2\nz = '\n"
	p := New()
	defer p.Close()
	want := mustParse(t, p, text)
	p.limit = 0
	mod := &ast.Module{Text: []byte(text)}
	seen := scan(mod, nil)
	comments, broken := len(mod.Comments), len(mod.Errors)
	if got := p.again(mod, seen); !maps.Equal(got.marks, seen.marks) {
		t.Errorf("marks %v became %v", seen.marks, got.marks)
	}
	if len(mod.Comments) != comments || len(mod.Errors) != broken {
		t.Errorf("errors are %v", mod.Errors)
	}
	if len(want.Body) != 3 || len(want.Errors) != 2 {
		t.Errorf("with time: %s", asttest.DumpModule(want))
	}
}

// TestParsersInParallel runs a parser for each goroutine, as the engine does.
func TestParsersInParallel(t *testing.T) {
	texts, _ := corpusTexts(t)
	texts = texts[:60]
	var group sync.WaitGroup
	sums := make([]int, 4)
	for w := range sums {
		group.Go(func() {
			p := New()
			defer p.Close()
			for _, text := range texts {
				if m, err := p.Parse(context.Background(), "", text); err == nil {
					sums[w] += m.NumNodes
				}
			}
		})
	}
	group.Wait()
	for _, s := range sums {
		if s == 0 || s != sums[0] {
			t.Errorf("the parsers count %v nodes", sums)
		}
	}
}

// TestNoMemoryIsLost parses 4,000 files, some of them broken or cut off, and
// looks at the memory of the whole process, which Go's collector does not see.
func TestNoMemoryIsLost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux tells the memory of a process in /proc/self/statm")
	}
	p := New()
	defer p.Close()
	good := strings.Repeat("def f(a):\n    return [b.c(d, 'e')[1:2] for b in a]\n", 12)
	long := []byte(strings.Repeat(good, 100))
	cut := 0 // the watch may look too late
	round := func(n int) int {
		for i := range n {
			mustParse(t, p, good)
			if i%10 == 0 {
				mustParse(t, p, good+"x = (1 +\ny = = 2\n")
			}
			if i%100 == 0 {
				p.perMiB = time.Microsecond
				if _, err := p.Parse(context.Background(), "", long); errors.Is(err, ErrLimit) {
					cut++
				}
				p.perMiB = DefaultTimePerMiB
			}
		}
		debug.FreeOSMemory() // else what the garbage collector keeps of other tests moves by as much
		return residentPages(t)
	}
	round(1000)
	before := round(1000)
	const files = 4_000
	// A tree that is not closed costs 22 bytes a source byte, in every round. What the allocators of C and Go keep back may grow by as much
	// as is allowed here once, and not again.
	grown := 0
	for range 3 {
		after := round(files)
		grown = (after - before) * os.Getpagesize()
		t.Logf("%d pages before, %d after %d files of %d bytes, %d cut off", before, after, files, len(good), cut)
		if grown <= files*len(good) {
			break
		}
		before = after
	}
	if cut == 0 {
		t.Error("no parse was cut off")
	}
	if grown > files*len(good) {
		t.Errorf("the process grew by %d bytes, as in the rounds before", grown)
	}
}

// TestTreesAreClosedAtOnce parses with the collector switched off, so that no
// finalizer helps: what grows beside Go's own heap are trees left open.
func TestTreesAreClosedAtOnce(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux tells the memory of a process in /proc/self/statm")
	}
	p := New()
	defer p.Close()
	text := strings.Repeat("def f(a):\n    return [b.c(d, 'e')[1:2] for b in a]\n", 40)
	mustParse(t, p, text)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := nativeBytes(t)
	const files = 2000
	for range files {
		mustParse(t, p, text)
	}
	grown := nativeBytes(t) - before
	t.Logf("%d bytes grown in parsing %d", grown, files*len(text))
	// A tree that is not closed costs 22 bytes a source byte.
	if grown > 5*files*len(text) {
		t.Errorf("the process grew by %d bytes beside Go's heap", grown)
	}
}

// nativeBytes returns the resident memory that is not Go's heap.
func nativeBytes(t *testing.T) int {
	t.Helper()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return residentPages(t)*os.Getpagesize() - int(m.HeapInuse)
}

func residentPages(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(data))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages
}
