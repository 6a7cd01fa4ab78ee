package infer

// # Environments
//
// Evaluation copies the environment wherever control flow parts, and joins the
// copies where it meets again. A module can have tens of thousands of places and
// as many branches, so neither may cost the size of the environment. It is kept in
// chunks: a copy shares them all, a write copies the one chunk that it changes, and
// a join looks only into chunks that are not shared. The first few chunks, which are
// all that most bodies have, are listed; those behind them are in groups, which are
// shared and copied in the same way.

const (
	chunkSize = 16 // slots of a chunk
	groupSize = 32 // chunks of a group, and of the list
)

type chunk [chunkSize]*Val

type group [groupSize]chunkRef

// env holds one value a slot, nil where the place is unbound.
type env struct {
	chunks []chunkRef
	groups []groupRef
}

// chunkRef is a chunk as one environment sees it.
type chunkRef struct {
	*chunk
	own bool // no other environment sees it: it may be written to
}

// groupRef is a group as one environment sees it. Where it is not its own, nor are its
// chunks.
type groupRef struct {
	*group
	own bool
}

// clone returns a copy; both sides share all chunks from then on.
func (e *env) clone() env {
	for i := range e.chunks {
		e.chunks[i].own = false
	}
	for i := range e.groups {
		e.groups[i].own = false
	}
	return env{append([]chunkRef(nil), e.chunks...), append([]groupRef(nil), e.groups...)}
}

// at returns the i-th chunk, nil where there is none.
func (e *env) at(i int) *chunk {
	if i < len(e.chunks) {
		return e.chunks[i].chunk
	}
	if g := i/groupSize - 1; g >= 0 && g < len(e.groups) && e.groups[g].group != nil {
		return e.groups[g].group[i%groupSize].chunk
	}
	return nil
}

func (e *env) get(slot int) *Val {
	if c := e.at(slot / chunkSize); c != nil {
		return c[slot%chunkSize]
	}
	return nil
}

func (e *env) set(slot int, v *Val) {
	if len(e.chunks) == 0 {
		e.chunks = append(e.chunks, chunkRef{}) // something was bound, or unbound
	}
	i := slot / chunkSize
	old := e.at(i)
	if old == nil && v == nil || old != nil && old[slot%chunkSize] == v {
		return
	}
	ref := e.ref(i)
	switch {
	case ref.chunk == nil:
		*ref = chunkRef{new(chunk), true}
	case !ref.own:
		own := *ref.chunk
		*ref = chunkRef{&own, true}
	}
	ref.chunk[slot%chunkSize] = v
}

// ref returns the place of the i-th chunk, to be written to.
func (e *env) ref(i int) *chunkRef {
	for len(e.chunks) <= min(i, groupSize-1) {
		e.chunks = append(e.chunks, chunkRef{})
	}
	if i < groupSize {
		return &e.chunks[i]
	}
	g := i/groupSize - 1
	for len(e.groups) <= g {
		e.groups = append(e.groups, groupRef{})
	}
	of := &e.groups[g]
	switch {
	case of.group == nil:
		*of = groupRef{new(group), true}
	case !of.own:
		own := *of.group
		for i := range own {
			own[i].own = false
		}
		*of = groupRef{&own, true}
	}
	return &of.group[i%groupSize]
}

// isEmpty reports whether nothing was ever bound.
func (e *env) isEmpty() bool { return len(e.chunks) == 0 }

// differences calls yield for the slots that other binds in chunks that e does not
// share, in order, with the value that other binds.
func (e *env) differences(other *env, yield func(slot int, v *Val)) {
	compare := func(i int, c *chunk) {
		if c == nil || e.at(i) == c {
			return
		}
		for j, v := range c {
			if v != nil {
				yield(i*chunkSize+j, v)
			}
		}
	}
	for i, ref := range other.chunks {
		compare(i, ref.chunk)
	}
	for g, of := range other.groups {
		if of.group == nil || g < len(e.groups) && e.groups[g].group == of.group {
			continue
		}
		for i, ref := range of.group {
			compare((g+1)*groupSize+i, ref.chunk)
		}
	}
}
