package infer

// # Environments
//
// Evaluation copies the environment wherever control flow parts, and joins the
// copies where it meets again. A module can have tens of thousands of places and
// as many branches, so neither may cost the size of the environment. It is kept in
// chunks: a copy shares them all, a write copies the one chunk that it changes, and
// a join looks only into chunks that are not shared.

// chunkSize is the number of slots of a chunk.
const chunkSize = 16

type chunk [chunkSize]*Val

// env holds one value a slot, nil where the place is unbound.
type env struct{ chunks []chunkRef }

// chunkRef is a chunk as one environment sees it.
type chunkRef struct {
	*chunk
	own bool // no other environment sees it: it may be written to
}

// clone returns a copy; both sides share all chunks from then on.
func (e *env) clone() env {
	for i := range e.chunks {
		e.chunks[i].own = false
	}
	return env{append([]chunkRef(nil), e.chunks...)}
}

func (e *env) get(slot int) *Val {
	if i := slot / chunkSize; i < len(e.chunks) && e.chunks[i].chunk != nil {
		return e.chunks[i].chunk[slot%chunkSize]
	}
	return nil
}

func (e *env) set(slot int, v *Val) {
	i := slot / chunkSize
	for len(e.chunks) <= i {
		e.chunks = append(e.chunks, chunkRef{})
	}
	ref := &e.chunks[i]
	switch {
	case ref.own:
	case ref.chunk == nil:
		if v == nil {
			return
		}
		*ref = chunkRef{new(chunk), true}
	default:
		if ref.chunk[slot%chunkSize] == v {
			return
		}
		own := *ref.chunk
		*ref = chunkRef{&own, true}
	}
	ref.chunk[slot%chunkSize] = v
}

// isEmpty reports whether nothing was ever bound.
func (e *env) isEmpty() bool { return len(e.chunks) == 0 }

// differences calls yield for the slots that other binds in chunks that e does not
// share, in order, with the value that other binds.
func (e *env) differences(other *env, yield func(slot int, v *Val)) {
	for i, ref := range other.chunks {
		if ref.chunk == nil || i < len(e.chunks) && e.chunks[i].chunk == ref.chunk {
			continue
		}
		for j, v := range ref.chunk {
			if v != nil {
				yield(i*chunkSize+j, v)
			}
		}
	}
}
