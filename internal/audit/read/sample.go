package read

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// # The sample of completions
//
// Of each step the completions of those prompts are kept whose hashes are smallest. Steps
// thus keep the same prompts as far as they have them, whatever the order of the rows, and a
// step's texts can be compared with the base model's on the same prompts.

// Bounds of the sample.
const (
	defaultPrompts = 256
	maxPerPrompt   = 16       // completions of one prompt at one step
	maxText        = 64 << 10 // bytes of one text
	textBudget     = 64 << 20 // bytes of all of them
	fewPrompts     = 8        // below which steps are left out rather than prompts
	overhead       = 256      // bytes that a completion takes beside its texts
)

// moment is a step of the policy, or of the base model.
type moment struct {
	step int64
	base bool
}

// sample holds the completions that are kept.
type samples struct {
	prompts int // kept of each step
	budget  int // bytes that all may take
	batches map[moment]*batch
	bytes   int
	cut     int64 // texts that were too long
	thinned bool
	halved  bool
}

// batch is the sample of one step.
type batch struct {
	source string
	total  int64
	kept   map[uint64][]record.Completion // by the hash of the prompt
	worst  uint64                         // the largest hash of them
}

func newSamples(prompts int) samples {
	if prompts <= 0 {
		prompts = defaultPrompts
	}
	return samples{prompts: prompts, budget: textBudget, batches: map[moment]*batch{}}
}

// add takes a completion.
func (s *samples) add(source string, e example) {
	at := moment{e.step, e.base}
	b := s.batches[at]
	if b == nil {
		b = &batch{source: source, kept: map[uint64][]record.Completion{}}
		s.batches[at] = b
	}
	b.total++
	h := hashOf(e.Prompt)
	if old := b.kept[h]; len(old) == maxPerPrompt || old == nil && len(b.kept) >= s.prompts && h > b.worst {
		return
	}
	e.Prompt, e.Text = s.short(e.Prompt), s.short(e.Text)
	b.kept[h] = append(b.kept[h], e.Completion)
	b.worst = max(b.worst, h)
	s.bytes += sizeOf(e.Completion)
	if len(b.kept) > s.prompts {
		s.trim(b)
	}
	for s.bytes > s.budget && s.shrink() {
	}
}

// short returns a text of its own, at most maxText long.
func (s *samples) short(text string) string {
	if len(text) > maxText {
		s.cut++
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	return strings.Clone(text)
}

// hashOf is one in which like prompts are not neighbours.
func hashOf(prompt string) uint64 {
	sum := sha256.Sum256([]byte(prompt))
	return binary.BigEndian.Uint64(sum[:])
}

func sizeOf(c record.Completion) int { return len(c.Prompt) + len(c.Text) + overhead }

// trim drops the prompts with the largest hashes.
func (s *samples) trim(b *batch) {
	hashes := slices.Sorted(maps.Keys(b.kept))
	for _, h := range hashes[min(s.prompts, len(hashes)):] {
		s.drop(b, h)
	}
	b.worst = 0
	if n := min(s.prompts, len(hashes)); n > 0 {
		b.worst = hashes[n-1]
	}
}

func (s *samples) drop(b *batch, h uint64) {
	for _, c := range b.kept[h] {
		s.bytes -= sizeOf(c)
	}
	delete(b.kept, h)
}

// shrink halves the sample: the prompts of each step, or, where they are few, the steps.
func (s *samples) shrink() bool {
	if s.prompts > fewPrompts {
		s.prompts, s.halved = s.prompts/2, true
		for _, b := range s.batches {
			s.trim(b)
		}
		return true
	}
	steps := s.order()
	if len(steps) < 8 {
		return false
	}
	s.thinned = true
	for i, at := range steps[:len(steps)-1] {
		if i%2 == 1 && !at.base {
			for h := range s.batches[at].kept {
				s.drop(s.batches[at], h)
			}
			delete(s.batches, at)
		}
	}
	return true
}

// order returns the moments, the base model's first.
func (s *samples) order() []moment {
	return slices.SortedFunc(maps.Keys(s.batches), func(a, b moment) int {
		if a.base != b.base {
			return map[bool]int{true: -1, false: 1}[a.base]
		}
		return cmp.Compare(a.step, b.step)
	})
}

// fill puts the sample into the run.
func (s *samples) fill(run *record.Run) {
	for _, at := range s.order() {
		b := s.batches[at]
		out := record.Batch{Source: b.source, Step: at.step, Base: at.base, Total: b.total}
		for _, h := range slices.Sorted(maps.Keys(b.kept)) {
			out.Kept = append(out.Kept, b.kept[h]...)
		}
		run.Batches = append(run.Batches, out)
	}
	if s.halved {
		run.Notes = append(run.Notes, fmt.Sprintf("the completions are many: those of %d prompts were kept of each step, the same ones at each", s.prompts))
	}
	if s.thinned {
		run.Notes = append(run.Notes, "the completions are of many steps: those of some steps were left out")
	}
	if s.cut > 0 {
		run.Notes = append(run.Notes, fmt.Sprintf("%s cut to its first %d KB", words.Count(s.cut, "text"), maxText>>10))
	}
}
