package infer

// Objects can hold themselves (net = nn.Sequential(net, nn.ReLU()) in a loop does
// not, but to a flow-insensitive heap it looks so), and what is held twice at
// every level is held 2^n times n levels down. So evaluation notes which objects
// it is going through, and every passage counts as work.

// begin notes that evaluation goes through an object to what it holds; false where
// it is inside of that object already, or where the work is used up.
func (in *interp) begin(r Ref) bool {
	in.passages++
	if in.inside[r] {
		return false
	}
	if in.spent() {
		in.res.Stats.WorkHits++
		return false
	}
	in.inside[r] = true
	return true
}

func (in *interp) end(r Ref) { delete(in.inside, r) }

// joinIn is a value that may be one of several things, and the evaluation that goes
// through it.
type joinIn struct {
	val   *Val
	frame *Frame
}

// beginJoin is begin of a join, for one frame: what a function that is called does with
// the same join is bounded as calls are. One alone costs nothing: what has to be bounded
// is joins that lead to joins.
func (in *interp) beginJoin(f *Frame, v *Val) bool {
	if in.joins[joinIn{v, f}] {
		in.res.Stats.DepthHits++
		return false
	}
	if len(in.joins) > 0 {
		in.passages++
		if in.spent() {
			in.res.Stats.WorkHits++
			return false
		}
	}
	in.joins[joinIn{v, f}] = true
	return true
}

func (in *interp) endJoin(f *Frame, v *Val) { delete(in.joins, joinIn{v, f}) }

// copies notes that n parts of a container are copied: a program may copy a dict that
// grows at every line. It is false where the work is used up.
func (in *interp) copies(n int) bool {
	in.passages += n / perPassage
	if n > maxElems && in.spent() {
		in.res.Stats.WorkHits++
		return false
	}
	return true
}

// perPassage is what a passage costs, in expressions.
const perPassage = 8

// spent reports whether the work for this module is used up.
func (in *interp) spent() bool {
	return in.res.Stats.Evaluated+perPassage*in.passages > in.work
}

// halted reports whether ctx is done. It asks at every 64th statement only.
func (in *interp) halted() bool {
	if in.statements++; in.statements%64 == 0 {
		in.stopped = in.stopped || in.ctx.Err() != nil
	}
	return in.stopped
}
