package page

// widths are those of the letters from space to tilde in Helvetica, in thousandths of the
// size, by Adobe's metrics; Arial and Liberation Sans are as wide.
var widths = [...]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // space to /
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
}

// widthOf is the width of a text in letters of a size. Letters without an entry count as
// wide as the size.
func widthOf(text string, size float64) float64 {
	thousandths := 0.0
	for _, letter := range text {
		if i := int(letter) - ' '; i >= 0 && i < len(widths) {
			thousandths += float64(widths[i])
		} else {
			thousandths += 1000
		}
	}
	return size * thousandths / 1000
}
