package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/rlvet/rlvet/internal/finding"
)

// # What is kept from one process to the next
//
// What rules say of a group of modules is a function of the rules, of its files, and of
// the files that it imports, directly or not. So it is stored under a digest of all
// these, and where the digest of every requested group is known, nothing is parsed. A
// group that is not known is evaluated, with the groups that it imports, since facts are
// not stored: they are graphs that take as long to read as to make. There is nothing to
// invalidate, and what failed or ran out of time is not stored.
//
// A few rules look at the texts of the whole program; what they reported holds only while
// those are the same.

// Key names what is stored.
type Key = [sha256.Size]byte

// Store keeps bytes from one process to the next. Several goroutines may use it at a time.
type Store interface {
	// Load returns what was saved last under a key, if it is still there.
	Load(key Key) ([]byte, bool)
	// Save keeps data; that it fails is nobody's business.
	Save(key Key, data []byte)
}

// stored is what is kept of a group: one entry for each module.
type stored []storedModule

// storedModule is what rules reported in a module.
type storedModule struct {
	Findings []storedFinding
	Problems []finding.Problem
	Texts    Key // of the program, where a rule looked at them
}

type storedFinding struct {
	finding.Finding
	Statement string
}

// digest names the files of a group and those that it imports, whose groups are named.
func (l *loader) digest(g *group) {
	h := sha256.New()
	for _, m := range g.members {
		fmt.Fprintf(h, "%x %q %q %q %v %v %q %d\n", m.demands, m.Path, m.abs, m.Name, m.IsPackage, l.options.RequestedOnly && m.requested, m.importedFiles(), len(m.File.Raw))
		h.Write(m.File.Raw)
	}
	for _, need := range g.needs {
		h.Write(need.files[:])
	}
	h.Sum(g.files[:0])
}

// key names what rules say of a group: of which members, and which rules.
func (s *Snapshot) key(g *group) Key {
	h := sha256.New()
	h.Write(g.files[:])
	fmt.Fprintf(h, "%q %q %v\n", s.options.Identity, s.options.Torch, s.options.RequestedOnly)
	for _, a := range s.options.Analyzers {
		fmt.Fprintf(h, "%s\n", a.Name)
	}
	for _, m := range g.members {
		fmt.Fprintf(h, "%v\n", m.asked)
	}
	return Key(h.Sum(nil))
}

// programDigest names the texts of the whole program.
func (s *Snapshot) programDigest() Key {
	s.digestOnce.Do(func() {
		h := sha256.New()
		all := *s.all()
		for _, abs := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(h, "%q %d\n", abs, len(all[abs].Text))
			h.Write(all[abs].Text)
		}
		h.Sum(s.digestOf[:0])
	})
	return s.digestOf
}

// retrieve finds what rules reported in each group when it was checked before.
func (l *loader) retrieve(groups []*group) {
	if l.options.Store == nil {
		return
	}
	for _, g := range groups {
		l.digest(g)
	}
	l.inParallel(groups, func(g *group) {
		if !slices.ContainsFunc(g.members, func(m *module) bool { return m.asked }) {
			return
		}
		var kept stored
		data, ok := l.options.Store.Load(l.key(g))
		if !ok || gob.NewDecoder(bytes.NewReader(data)).Decode(&kept) != nil || len(kept) != len(g.members) {
			return
		}
		for _, k := range kept {
			if k.Texts != (Key{}) && k.Texts != l.programDigest() {
				return
			}
		}
		for i, m := range g.members {
			if m.asked {
				m.stored = kept[i].yield()
			}
		}
	})
}

// yield is what the module yields, as a check of now would give it.
func (s storedModule) yield() *yield {
	y := &yield{problems: s.Problems}
	for _, f := range s.Findings {
		y.findings = append(y.findings, raw{Finding: f.Finding, statement: f.Statement})
	}
	return y
}

// store keeps what rules reported in the groups that were evaluated, if all went well.
func (r *run) store() {
	if r.options.Store == nil || r.ctx.Err() != nil {
		return
	}
	r.inParallel(r.groups, func(g *group) {
		fresh := slices.ContainsFunc(g.members, func(m *module) bool { return m.asked && m.stored == nil })
		if !fresh || r.states[g].spoilt {
			return
		}
		kept := make(stored, len(g.members))
		for i, m := range g.members {
			if y := r.yields[m]; y != nil && m.asked {
				kept[i] = r.storedOf(y)
			}
		}
		var b bytes.Buffer
		if gob.NewEncoder(&b).Encode(kept) == nil {
			r.options.Store.Save(r.key(g), b.Bytes())
		}
	})
}

func (r *run) storedOf(y *yield) storedModule {
	s := storedModule{Problems: y.problems}
	for _, f := range y.findings {
		s.Findings = append(s.Findings, storedFinding{f.Finding, f.statement})
	}
	if y.texts != nil {
		s.Texts = r.programDigest()
	}
	return s
}

// inParallel calls f for every group, on as many goroutines as there are jobs.
func (s *Snapshot) inParallel(groups []*group, f func(*group)) {
	work := make(chan *group)
	var wg sync.WaitGroup
	for range min(s.options.jobs(), len(groups)) {
		wg.Go(func() {
			for g := range work {
				f(g)
			}
		})
	}
	for _, g := range groups {
		work <- g
	}
	close(work)
	wg.Wait()
}
