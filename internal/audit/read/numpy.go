package read

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// numpyArray is an array of numbers with its shape, row by row.
type numpyArray struct {
	shape  []int
	values []float64
}

// rows returns the number of rows, and how many values each has.
func (a numpyArray) rows() (n, width int) {
	if len(a.shape) == 0 || a.shape[0] == 0 {
		return 0, 0
	}
	return a.shape[0], len(a.values) / a.shape[0]
}

// numpyHeader is what stands before the numbers: a dict of Python.
var numpyHeader = regexp.MustCompile(`^\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([\d, ]*)\), \}\s*$`)

// readNumpy reads an array of an .npz archive: the .npy format, version 1 to 3
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). The libraries there
// are allocate what a header says, and panic at one that is cut.
func readNumpy(f *zip.File) (numpyArray, error) {
	r, err := f.Open()
	if err != nil {
		return numpyArray{}, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxRecord+1))
	switch {
	case err != nil:
		return numpyArray{}, err
	case len(data) > maxRecord:
		return numpyArray{}, errLarge
	}
	return parseNumpy(data)
}

func parseNumpy(data []byte) (numpyArray, error) {
	header, data, err := splitNumpy(data)
	if err != nil {
		return numpyArray{}, err
	}
	m := numpyHeader.FindStringSubmatch(header)
	if m == nil || m[2] == "True" {
		return numpyArray{}, errors.New("is not an array that can be read")
	}
	var a numpyArray
	count := 1
	for _, size := range strings.Split(strings.ReplaceAll(m[3], " ", ""), ",") {
		if size == "" {
			continue
		}
		n, err := strconv.Atoi(size)
		if err != nil || n > maxRecord || count*n > maxRecord {
			return numpyArray{}, errLarge
		}
		a.shape, count = append(a.shape, n), count*n
	}
	a.values, err = numpyValues(m[1], data, count)
	return a, err
}

// splitNumpy splits the header off.
func splitNumpy(data []byte) (header string, rest []byte, err error) {
	if len(data) < 12 || !bytes.HasPrefix(data, []byte("\x93NUMPY")) {
		return "", nil, errors.New("is no array of NumPy")
	}
	at, size := 10, int(binary.LittleEndian.Uint16(data[8:]))
	if data[6] > 1 {
		at, size = 12, int(binary.LittleEndian.Uint32(data[8:]))
	}
	if size > len(data)-at {
		return "", nil, io.ErrUnexpectedEOF
	}
	return string(data[at : at+size]), data[at+size:], nil
}

// numpyValues reads so many numbers of a type such as "<f8": little-endian, 8 bytes.
func numpyValues(descr string, data []byte, count int) ([]float64, error) {
	size := 0
	if len(descr) == 3 {
		size = int(descr[2] - '0')
	}
	if strings.HasPrefix(descr, "|O") {
		return nil, errors.New("holds objects of Python, which are never unpickled: evaluate as many episodes each time")
	}
	if size < 1 || size > 8 || size&(size-1) != 0 || !strings.ContainsRune("fiub", rune(descr[1])) || descr[1] == 'f' && size < 4 {
		return nil, fmt.Errorf("holds values of the type %q, which is not read", descr)
	}
	if len(data) < count*size {
		return nil, io.ErrUnexpectedEOF
	}
	values := make([]float64, count)
	for i := range values {
		values[i] = numpyValue(descr[1], descr[0] == '>', data[i*size:(i+1)*size])
	}
	return values, nil
}

func numpyValue(kind byte, big bool, data []byte) float64 {
	bits := uint64(0)
	for i := range data {
		at := len(data) - 1 - i
		if big {
			at = i
		}
		bits = bits<<8 | uint64(data[at])
	}
	free := 64 - 8*len(data)
	switch {
	case kind == 'f' && len(data) == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case kind == 'f':
		return math.Float64frombits(bits)
	case kind == 'i':
		return float64(int64(bits<<free) >> free)
	}
	return float64(bits)
}
