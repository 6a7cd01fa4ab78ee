package measure

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// uphill goes a step from b, or the first half of it that does not lessen the height, for
// Newton's may go too far. What rounding does to the height does not count.
func uphill(height func(b *mat.VecDense) float64, b, step *mat.VecDense) *mat.VecDense {
	enough := height(b)
	enough -= 1e-12 * (1 + math.Abs(enough))
	for scale := 1.0; scale > 1e-9; scale /= 2 {
		next := mat.NewVecDense(b.Len(), nil)
		next.AddScaledVec(b, scale, step)
		if height(next) >= enough {
			return next
		}
	}
	return b
}
