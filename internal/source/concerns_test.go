package source

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestConcernsRL(t *testing.T) {
	tests := []struct {
		name, text string
		want       bool
	}{
		{"nothing", "", false},
		{"a web server", "#!/usr/bin/env python\nimport os, flask\nenv = os.environ.copy()\napp = flask.Flask('x')\n", false},
		{"numpy for other things", "import numpy as np\nx = np.zeros(3)\n", false},
		{"words of other things", "# critical control: strlen, refactor, factory, backward compatible, support urllib\n", false},
		{"a standard deviation without numpy", "import statistics\nstatistics.std(x)\n", false},
		{"torch under a short name", "import torch as t\n", true},
		{"a part of torch", "from torch.nn import functional as F\n", true},
		{"gymnasium", "import gymnasium", true},
		{"trl at the end", "import trl", true},
		{"trl at the start", "trl.x", true},
		{"numpy that normalises", "import numpy as np\ndef f(x):\n    return (x - x.mean()) / x.std()\n", true},
		{"numpy that samples", "from numpy.random import choice as c\nc(3, p=x)\nrng.choice(3)\n", true},
		{"words before the import", "def f(x): return x.std()\nimport numpy\n", true},
		{"a training step with all passed in", "def f(m, o, x):\n    l = m(x)\n    l.backward()\n    o.step()\n", true},
		{"an environment passed in", "def f(env):\n    s = env.reset()\n", true},
		{"torch by way of another module", "from .common import *\nclass A(nn.Module): pass\n", true},
		{"numpy by way of another module", "from .common import *\ndef f(x): return x / x.std()\n", true},
		{"names in capitals", "OLD_LOG_PROBS = 1\n", true},
		{"names in humps", "class RewardModel: pass\n", true},
		{"our own comment", "x = 1  # rlvet: ignore\n", true},
	}
	for _, test := range tests {
		if got := ConcernsRL([]byte(test.text)); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// The automaton finds what a plain search for each word finds.
func TestConcernsRLAgreesWithSearching(t *testing.T) {
	var patterns []*regexp.Regexp
	for _, w := range concernWords {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(w.word), " ", `[^a-z]`)
		patterns = append(patterns, regexp.MustCompile(`(?i)`+pattern))
	}
	var pieces []string
	for _, w := range concernWords {
		pieces = append(pieces, w.word, w.word[:len(w.word)-1], w.word[1:], strings.ToUpper(w.word))
	}
	pieces = append(pieces, " ", "(", "_", "x", "é", "\n")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 4).Draw(t, "text"), "")
		seen := group(0)
		for i, pattern := range patterns {
			if pattern.MatchString(" " + text + " ") {
				seen |= concernWords[i].group
			}
		}
		if got := ConcernsRL([]byte(text)); got != decides(seen) {
			t.Fatalf("%q: got %v, want %v", text, got, decides(seen))
		}
	})
}

func TestConcernWordsHaveAForm(t *testing.T) {
	seen := map[string]bool{}
	form := regexp.MustCompile(`^ ?[a-z]+( [a-z]+)*( |\(| \*)?$`)
	for _, w := range concernWords {
		if !form.MatchString(w.word) || w.reason == "" || w.group == 0 || seen[w.word] {
			t.Errorf("%q: group %d, reason %q, seen %v", w.word, w.group, w.reason, seen[w.word])
		}
		seen[w.word] = true
	}
}

func BenchmarkConcernsRL(b *testing.B) {
	text := bytes.Repeat([]byte("    result = self.compute_total(items, prices)  # of the order\n"), 4000)
	if ConcernsRL(text) {
		b.Fatal("the text is meant to be scanned to its end")
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ConcernsRL(text)
	}
}
