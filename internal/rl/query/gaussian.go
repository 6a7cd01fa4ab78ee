package query

import (
	"math"
	"slices"
)

// The KL of a normal distribution to the standard one, of which latent variables are
// drawn, is written out by hand:
//
//	-0.5 * (1 + logvar - mu**2 - logvar.exp())     of a log-variance
//	-log(std) + (std**2 + mu**2 - 1) / 2           of a standard deviation
//	0.5 * (var + mu**2 - 1 - log(var))             of a variance

// GaussianKL is the sign with which s counts such a KL; 0 where s is none.
func (s Seen) GaussianKL() int {
	x := s.Strip()
	if !x.Known() || !x.IsOp("add", "sub", "rsub") {
		return 0
	}
	if !x.Plain() {
		return x.gaussianKL()
	}
	return x.g.gaussian.get(x.Val, x.gaussianKL) // each term of a sum is asked for each loss that it is in
}

func (s Seen) gaussianKL() int {
	var sum gaussianSum
	if !sum.add(s, 1, 8) {
		return 0
	}
	return sum.sign()
}

// scaledValue is a term of a sum: by * x, or by * f(x) for a function f. Of exp(2 * x) times is 2.
type scaledValue struct {
	Seen
	by, times float64
}

// gaussianSum holds the terms of a sum by their form; constants are left out.
type gaussianSum struct {
	squares, exps, logs, plain []scaledValue // what is squared, exponentiated, under the logarithm, neither
}

// add takes a sum apart; it reports whether it may be the KL still.
func (g *gaussianSum) add(s Seen, by float64, depth int) bool {
	x := s.Strip()
	if _, constant := s.Float(); constant {
		return true
	}
	if !x.Known() || depth == 0 || len(g.squares)+len(g.exps)+len(g.logs)+len(g.plain) > 4 {
		return false
	}
	switch {
	case x.IsOp("add", "sub", "rsub") && len(x.In) > 1:
		first, second := by, by
		if x.IsOp("sub") {
			second = -by
		} else if x.IsOp("rsub") {
			first = -by
		}
		return g.add(x.Input(0), first, depth-1) && g.add(x.Input(1), second, depth-1)
	case x.IsOp("neg"):
		return g.add(x.Input(0), -by, depth-1)
	}
	if y, c, ok := x.timesNumber(); ok {
		return g.add(y, by*c, depth-1)
	}
	if of, ok := x.squared(); ok {
		if e := of.Strip(); e.Known() && e.IsOp("exp") { // exp(logstd) ** 2
			base, c := e.Input(0).perNumber()
			g.exps = append(g.exps, scaledValue{base, by, 2 * c})
			return true
		}
		g.squares = append(g.squares, scaledValue{of, by, 1})
		return true
	}
	switch {
	case x.IsOp("exp"):
		base, c := x.Input(0).perNumber()
		g.exps = append(g.exps, scaledValue{base, by, c})
	case x.IsOp("log"):
		g.logs = append(g.logs, scaledValue{x.Input(0), by, 1})
	default:
		g.plain = append(g.plain, scaledValue{x, by, 1})
	}
	return true
}

// sign reads the terms as a * (mu**2 + var - log(var)).
func (g *gaussianSum) sign() int {
	switch {
	case len(g.exps) == 1 && len(g.squares) == 1 && len(g.plain) == 1 && len(g.logs) == 0: // exp(c*l) against c*l
		a, l := g.exps[0].by, g.plain[0]
		if near(g.squares[0].by, a) && near(l.by, -a*g.exps[0].times) && l.Same(g.exps[0].Seen) {
			return signOf(a)
		}
	case len(g.logs) == 1 && len(g.exps) == 0:
		of := g.logs[0].withoutEpsilon()
		log := g.logs[0].by
		if inner, ok := of.Strip().squared(); ok { // log(std ** 2)
			of, log = inner, 2*log
		}
		switch {
		case len(g.squares) == 2 && len(g.plain) == 0 && near(g.squares[0].by, g.squares[1].by):
			a := g.squares[0].by
			if near(log, -2*a) && slices.ContainsFunc(g.squares, func(q scaledValue) bool { return q.Same(of) }) {
				return signOf(a)
			}
		case len(g.squares) == 1 && len(g.plain) == 1 && near(g.squares[0].by, g.plain[0].by):
			if a := g.plain[0].by; near(log, -a) && g.plain[0].Same(of) {
				return signOf(a)
			}
		}
	}
	return 0
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func signOf(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// squared returns x where s is x**2.
func (s Seen) squared() (Seen, bool) {
	switch {
	case !s.Known():
	case s.IsOp("square"):
		return s.Input(0), true
	case s.IsOp("pow") && len(s.In) > 1:
		if n, ok := s.Input(1).Float(); ok && n == 2 {
			return s.Input(0), true
		}
	case s.IsOp("mul") && len(s.In) > 1 && s.Input(0).Same(s.Input(1)):
		return s.Input(0), true
	}
	return Seen{}, false
}

// timesNumber reads s as a number times something.
func (s Seen) timesNumber() (of Seen, by float64, ok bool) {
	if !s.Known() || !s.IsOp("mul", "div") || len(s.In) < 2 {
		return Seen{}, 0, false
	}
	if c, ok := s.Input(1).Float(); ok && c != 0 {
		if s.IsOp("div") {
			c = 1 / c
		}
		return s.Input(0), c, true
	}
	if c, ok := s.Input(0).Float(); ok && s.IsOp("mul") {
		return s.Input(1), c, true
	}
	return Seen{}, 0, false
}

// perNumber takes the number out of a product: 2 * logstd.
func (s Seen) perNumber() (Seen, float64) {
	if of, by, ok := s.Strip().timesNumber(); ok {
		return of, by
	}
	return s, 1
}

// withoutEpsilon is x of x + 1e-8.
func (s Seen) withoutEpsilon() Seen {
	x := s.Strip()
	if x.IsOp("add") && len(x.In) > 1 {
		if _, ok := x.Input(1).Float(); ok {
			return x.Input(0)
		}
	}
	return s
}
