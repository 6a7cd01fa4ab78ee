package numeric

import "slices"

// Tensor is a small dense array in row-major order; a scalar has no dims.
type Tensor struct {
	Dims []int
	Data []float64
}

// Scalar returns a tensor without dimensions.
func Scalar(x float64) *Tensor { return &Tensor{Data: []float64{x}} }

// New returns a tensor of zeros.
func New(dims ...int) *Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return &Tensor{Dims: slices.Clone(dims), Data: make([]float64, n)}
}

// Clone returns a copy.
func (t *Tensor) Clone() *Tensor {
	return &Tensor{Dims: slices.Clone(t.Dims), Data: slices.Clone(t.Data)}
}

// apply maps f over the elements.
func (t *Tensor) apply(f func(float64) float64) *Tensor {
	out := New(t.Dims...)
	for i, x := range t.Data {
		out.Data[i] = f(x)
	}
	return out
}

// broadcast returns the common shape of a and b; ok is false where there is none.
func broadcast(a, b []int) (dims []int, ok bool) {
	n := max(len(a), len(b))
	dims = make([]int, n)
	for i := range n {
		x, y := 1, 1
		if k := len(a) - n + i; k >= 0 {
			x = a[k]
		}
		if k := len(b) - n + i; k >= 0 {
			y = b[k]
		}
		if x != y && x != 1 && y != 1 {
			return nil, false
		}
		dims[i] = max(x, y)
	}
	return dims, true
}

// expand returns t broadcast to dims.
func (t *Tensor) expand(dims []int) *Tensor {
	if slices.Equal(t.Dims, dims) {
		return t
	}
	out := New(dims...)
	for i := range out.Data {
		rest, at, stride := i, 0, 1
		for d := len(dims) - 1; d >= 0; d-- {
			c := rest % dims[d]
			rest /= dims[d]
			if k := d - (len(dims) - len(t.Dims)); k >= 0 {
				if t.Dims[k] != 1 {
					at += c * stride
				}
				stride *= t.Dims[k]
			}
		}
		out.Data[i] = t.Data[at]
	}
	return out
}

// zip maps f over the elements of a and b after broadcasting; nil where the
// shapes do not fit.
func zip(a, b *Tensor, f func(x, y float64) float64) *Tensor {
	dims, ok := broadcast(a.Dims, b.Dims)
	if !ok {
		return nil
	}
	x, y := a.expand(dims), b.expand(dims)
	out := New(dims...)
	for i := range out.Data {
		out.Data[i] = f(x.Data[i], y.Data[i])
	}
	return out
}

// matmul is the product of two matrices.
func matmul(a, b *Tensor) *Tensor {
	if len(a.Dims) != 2 || len(b.Dims) != 2 || a.Dims[1] != b.Dims[0] {
		return nil
	}
	n, m, k := a.Dims[0], b.Dims[1], a.Dims[1]
	out := New(n, m)
	for i := range n {
		for j := range m {
			for l := range k {
				out.Data[i*m+j] += a.Data[i*k+l] * b.Data[l*m+j]
			}
		}
	}
	return out
}

// transpose swaps the dimensions of a matrix.
func transpose(t *Tensor) *Tensor {
	if len(t.Dims) != 2 {
		return nil
	}
	n, m := t.Dims[0], t.Dims[1]
	out := New(m, n)
	for i := range n {
		for j := range m {
			out.Data[j*n+i] = t.Data[i*m+j]
		}
	}
	return out
}

// sumAll adds up all elements.
func (t *Tensor) sumAll() *Tensor {
	s := 0.0
	for _, x := range t.Data {
		s += x
	}
	return Scalar(s)
}

// sumDim adds up along one dimension; nil where there is none such.
func (t *Tensor) sumDim(dim int, keep bool) *Tensor {
	return t.reduceDim(dim, keep, func(x, y float64) float64 { return x + y })
}

// reduceDim folds along one dimension, from its first element on; nil where there is none such.
func (t *Tensor) reduceDim(dim int, keep bool, f func(x, y float64) float64) *Tensor {
	if dim < 0 {
		dim += len(t.Dims)
	}
	if dim < 0 || dim >= len(t.Dims) {
		return nil
	}
	kept := slices.Clone(t.Dims)
	kept[dim] = 1
	out := New(kept...)
	inner := 1
	for _, d := range t.Dims[dim+1:] {
		inner *= d
	}
	for i, x := range t.Data {
		along, at := i/inner%t.Dims[dim], i/(inner*t.Dims[dim])*inner+i%inner
		if along == 0 {
			out.Data[at] = x
		} else {
			out.Data[at] = f(out.Data[at], x)
		}
	}
	if !keep {
		out.Dims = slices.Delete(out.Dims, dim, dim+1)
	}
	return out
}
