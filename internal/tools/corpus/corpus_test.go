package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/rule"
)

const trainer = `import torch


def advantages(rewards):
    rewards = torch.tensor(rewards)
    return (rewards - rewards.mean()) / rewards.std()


logits = torch.randn(4, 3)
action = torch.multinomial(torch.log_softmax(logits, -1), 1)
`

// project makes a project with one repository in its mirror, and returns its folder.
func project(t *testing.T, judged string) string {
	t.Helper()
	root := t.TempDir()
	mirror := filepath.Join(root, "mirror", "someone+trainer")
	write(t, filepath.Join(mirror, "train.py"), trainer)
	write(t, filepath.Join(mirror, "weights.bin"), "not wanted")
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "Train"},
	} {
		run(t, mirror, args...)
	}
	write(t, filepath.Join(root, listFile), "# pinned\nsomeone/trainer "+run(t, mirror, "rev-parse", "HEAD"))
	write(t, filepath.Join(root, judgedFile), judged)
	return root
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A finding that nobody has judged is new, one that was judged and is not found any more is
// gone, and updating settles both.
func TestCorpusTellsWhatIsNewAndGone(t *testing.T) {
	root := project(t, "someone/trainer\told.py\t3\tKL001\tharmful\tread in spring\nsomeone/trainer\ttrain.py\t10\tDIST024\twrong\t\n")
	out := corpus(t, root, options{})
	for _, want := range []string{
		"new: someone/trainer train.py:6 ADV009",
		"gone: someone/trainer old.py:3 KL001",
		"2 findings in 1 repository, 10 lines; 1 new, 1 gone",
		"| ADV009 | 0 | 0 | 0 | 1 | 0.0000 |",
		"| DIST024 | 0 | 0 | 1 | 0 | 100.0000 |",
		"| stable | 0 | 0 | 1 | 1 | 100.0000 |",
		"| errors of stable rules | 0 | 0 | 1 | 0 | 100.0000 |",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	corpus(t, root, options{update: true})
	text, err := os.ReadFile(filepath.Join(root, judgedFile))
	if err != nil {
		t.Fatal(err)
	}
	if want := "someone/trainer\ttrain.py\t6\tADV009\tunread\t\nsomeone/trainer\ttrain.py\t10\tDIST024\twrong\t\n"; string(text) != want {
		t.Errorf("judged.tsv is\n%s\nwant\n%s", text, want)
	}
}

// corpus runs the tool on the project and returns what it prints.
func corpus(t *testing.T, root string, o options) string {
	t.Helper()
	o.mirror, o.rules = filepath.Join(root, "mirror"), "ALL"
	var out bytes.Buffer
	if err := o.run(context.Background(), root, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What says nothing about a repository is not gone: it may not have been there.
func TestCorpusKeepsJudgementsOfMissingRepositories(t *testing.T) {
	root := project(t, "else/where\ta.py\t3\tKL001\tharmful\t\n")
	out := corpus(t, root, options{})
	if strings.Contains(out, "gone: ") || !strings.Contains(out, "| KL001 | 1 | 0 | 0 | 0 |") {
		t.Errorf("a judgement was lost:\n%s", out)
	}
}

func TestMistakesInListsAreExplained(t *testing.T) {
	for _, c := range []struct{ list, judged, want string }{
		{"someone/trainer main\n", "", "repositories.txt:1: \"someone/trainer main\" is not OWNER/NAME and a commit"},
		{"", "a/b\tc.py\t1\tKL001\tbad\t\n", "judged.tsv:1: a line is repository, path"},
		{"", "a/b\tc.py\tx\tKL001\twrong\t\n", `judged.tsv:1: "x" is not the number of a line`},
		{"", "a/b\tc.py\t1\tKL001\twrong\t\na/b\tc.py\t1\tKL001\tidle\t\n", "judged.tsv:2: judged above"},
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, listFile), c.list)
		write(t, filepath.Join(root, judgedFile), c.judged)
		err := options{rules: "ALL"}.run(context.Background(), root, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestJudgementStandsInTheFrontMatter(t *testing.T) {
	page := "---\ncode: KL001\nsince: 0.1.0\njudged: 1/2/3\nrefs: []\n---\n"
	for _, c := range []struct {
		judgement rule.Judgement
		want      string
	}{
		{rule.Judgement{Harmful: 4, Idle: 1}, strings.Replace(page, "1/2/3", "4/1/0", 1)},
		{rule.Judgement{}, strings.Replace(page, "judged: 1/2/3\n", "", 1)},
	} {
		if got := string(withJudged([]byte(page), c.judgement)); got != c.want {
			t.Errorf("%+v: %q, want %q", c.judgement, got, c.want)
		}
	}
}

// What the project keeps can be read.
func TestListsOfTheProject(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	list, err := readList(filepath.Join(root, listFile))
	if err != nil || len(list) < 40 {
		t.Errorf("%d repositories, error %v", len(list), err)
	}
	if _, err := readJudged(filepath.Join(root, judgedFile)); err != nil {
		t.Error(err)
	}
}
