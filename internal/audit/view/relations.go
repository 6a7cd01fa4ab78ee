package view

import (
	"fmt"
	"math"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/page"
	"github.com/rlvet/rlvet/internal/words"
)

// # One metric over another
//
// Over-optimisation is seen where the axis is not time: the held-out score rises with the
// KL that is spent and then falls while the reward goes on rising. The points are the
// checkpoints, those with an alert marked; a run without checkpoints is drawn by its series.

// addRelations adds the reward and the held-out score over KL, and the reward over length.
func (v *pageView) addRelations(r *audit.Result) {
	for _, of := range []struct{ title, x, y string }{
		{"Reward against KL", "kl_reference", "reward"},
		{"Held-out against KL", "kl_reference", r.Primary},
		{"Reward against length", "length", "reward"},
	} {
		if of.y == "" {
			continue
		}
		p, ok := relate(r, of.x, of.y)
		if !ok {
			continue
		}
		p.Title = of.title
		if of.x == "kl_reference" && of.y == r.Primary {
			addFit(&p, r)
		}
		p.Alt = alt(p)
		v.Relations = append(v.Relations, relation{draw(p), page.Legend(p.Series)})
	}
}

// relate draws a metric over another: of the checkpoints, or else of the series.
func relate(r *audit.Result, x, y string) (page.Plot, bool) {
	p, ok := ofCheckpoints(r, x, y)
	if ok {
		return p, true
	}
	a, b := series(r.Record, record.Quantity(x)), series(r.Record, record.Quantity(y))
	if a == nil || b == nil {
		return p, false
	}
	xs, ys := together(a.Points, b.Points, 40)
	if len(xs) < 2 {
		return p, false
	}
	p.X, p.Y = axis(named(x), a.Unit), axis(named(y), b.Unit)
	p.Series = []page.Series{{Name: "the run, in 40 parts", X: xs, Y: ys}}
	p.Crosses = []page.Cross{{X: xs[0], Y: ys[0], Name: "start"}, {X: xs[len(xs)-1], Y: ys[len(ys)-1], Name: "end", Style: alertStyle}}
	p.Numbers = true
	return p, true
}

// axis names an axis with its unit.
func axis(name string, unit record.Unit) string {
	if _, u := scaleOf(unit); u != "" {
		return name + ", " + u
	}
	return name
}

// ofCheckpoints draws a point a checkpoint: those without an alert, those with one, and the
// one to take.
func ofCheckpoints(r *audit.Result, x, y string) (p page.Plot, ok bool) {
	path := page.Series{Name: "in the order of training", Style: 6, Bare: true}
	good := page.Series{Name: "checkpoint", Style: mainStyle, Loose: true}
	out := page.Series{Name: "excluded checkpoint", Style: outStyle, Loose: true}
	for i := range r.Checkpoints {
		c := &r.Checkpoints[i]
		mx, okX := c.Metrics[x]
		my, okY := c.Metrics[y]
		if !okX || !okY {
			continue
		}
		sx, _ := scaleOf(mx.Unit)
		sy, _ := scaleOf(my.Unit)
		p.X, p.Y = axis(named(x), mx.Unit), axis(named(y), my.Unit)
		to := &good
		if c.Excluded() {
			to = &out
		}
		for _, s := range []*page.Series{&path, to} {
			s.X, s.Y = append(s.X, sx*mx.Value), append(s.Y, sy*my.Value)
		}
		if isRecommended(r, c) {
			p.Crosses = append(p.Crosses, page.Cross{X: sx * mx.Value, Y: sy * my.Value, Name: "take", Style: otherStyle})
		} else if isByReward(r, c) {
			p.Crosses = append(p.Crosses, page.Cross{X: sx * mx.Value, Y: sy * my.Value, Name: "highest reward", Style: alertStyle})
		}
	}
	p.Numbers, p.Series = true, []page.Series{path}
	for _, s := range []page.Series{good, out} {
		if len(s.X) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return p, len(path.X) >= 2
}

// together pairs two series by equal parts of the steps that both have.
func together(a, b []record.Point, parts int) (xs, ys []float64) {
	if len(a) < 2 || len(b) < 2 {
		return nil, nil
	}
	first, last := max(a[0].Step, b[0].Step), min(a[len(a)-1].Step, b[len(b)-1].Step)
	if last <= first {
		return nil, nil
	}
	means := func(points []record.Point) []float64 {
		sums, counts := make([]float64, parts), make([]float64, parts)
		for _, p := range points {
			if p.Step >= first && p.Step <= last {
				at := partOf(p.Step, first, last, parts)
				counts[at]++
				sums[at] += (p.Value - sums[at]) / counts[at]
			}
		}
		for i := range sums {
			if counts[i] == 0 {
				sums[i] = math.NaN()
			}
		}
		return sums
	}
	x, y := means(a), means(b)
	for i := range parts {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			xs, ys = append(xs, x[i]), append(ys, y[i])
		}
	}
	return xs, ys
}

// addFit draws the law of over-optimisation as far as the run went, and its peak.
func addFit(p *page.Plot, r *audit.Result) {
	fit, x, y := r.OverOptimisation, metricUnit(r, "kl_reference"), metricUnit(r, r.Primary)
	if fit == nil || x != record.NatsPerSequence { // the law is of the KL of sequences
		return
	}
	scale, _ := scaleOf(y)
	most := 0.0
	for _, s := range p.Series {
		for _, x := range s.X {
			most = max(most, x)
		}
	}
	law := page.Series{Name: "fitted law", Style: otherStyle, Bare: true}
	for i := 1; i <= 60; i++ {
		kl := most * float64(i*i) / 3600 // closer where it is steep
		d := math.Sqrt(kl)
		law.X, law.Y = append(law.X, kl), append(law.Y, scale*(fit.Start+d*(fit.A-fit.B*math.Log(d))))
	}
	p.Series = append(p.Series, law)
	p.Note = fmt.Sprintf("The law is R(d) = d (a - b ln d), d the square root of the KL (Gao, Schulman and Hilton 2022), fitted to %s.", words.Count(fit.N, "checkpoint"))
	if fit.B <= 0 || fit.PeakKL > most {
		return // it has no peak, or none that the run came to
	}
	p.Note += fmt.Sprintf(" It peaks at a KL of %s nats.", number(fit.PeakKL))
	if fit.Passed {
		p.Note += " The run went beyond that."
	}
	p.Crosses = append(p.Crosses, page.Cross{X: fit.PeakKL, Y: scale * (fit.Start + fit.PeakScore), Name: "peak", Style: otherStyle})
}

// metricUnit is the unit of a metric of the checkpoints.
func metricUnit(r *audit.Result, name string) record.Unit {
	for _, c := range r.Checkpoints {
		if m, ok := c.Metrics[name]; ok {
			return m.Unit
		}
	}
	return ""
}
