package source

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// A namedCodec is an encoding with the name that Python gives it; encoding is
// nil for UTF-8 and ASCII, which need no decoding.
type namedCodec struct {
	name     string
	encoding encoding.Encoding
	aliases  string // as in Python's encodings.aliases, folded, blank separated
}

// namedCodecs are the encodings a PEP 263 declaration may name. Python knows a
// few more (hz, johab, ...), which no source file in practice uses.
var namedCodecs = []namedCodec{
	{"utf-8", nil, "utf8 u8 utf utf_8 utf8_ucs2 utf8_ucs4 utf_8_sig cp65001"},
	{"ascii", nil, "ascii us_ascii us 646 ansi_x3.4_1968 ansi_x3.4_1986 cp367 ibm367 iso646_us"},
	{"iso-8859-1", charmap.ISO8859_1, "iso_8859_1 iso8859_1 latin_1 iso_latin_1 latin1 latin l1 8859 iso8859 cp819 ibm819"},
	{"iso-8859-2", charmap.ISO8859_2, "iso_8859_2 iso8859_2 latin2 l2"},
	{"iso-8859-3", charmap.ISO8859_3, "iso_8859_3 iso8859_3 latin3 l3"},
	{"iso-8859-4", charmap.ISO8859_4, "iso_8859_4 iso8859_4 latin4 l4"},
	{"iso-8859-5", charmap.ISO8859_5, "iso_8859_5 iso8859_5 cyrillic"},
	{"iso-8859-6", charmap.ISO8859_6, "iso_8859_6 iso8859_6 arabic"},
	{"iso-8859-7", charmap.ISO8859_7, "iso_8859_7 iso8859_7 greek"},
	{"iso-8859-8", charmap.ISO8859_8, "iso_8859_8 iso8859_8 hebrew"},
	{"iso-8859-9", charmap.ISO8859_9, "iso_8859_9 iso8859_9 latin5 l5"},
	{"iso-8859-10", charmap.ISO8859_10, "iso_8859_10 iso8859_10 latin6 l6"},
	{"iso-8859-13", charmap.ISO8859_13, "iso_8859_13 iso8859_13 latin7 l7"},
	{"iso-8859-14", charmap.ISO8859_14, "iso_8859_14 iso8859_14 latin8 l8"},
	{"iso-8859-15", charmap.ISO8859_15, "iso_8859_15 iso8859_15 latin9 l9"},
	{"iso-8859-16", charmap.ISO8859_16, "iso_8859_16 iso8859_16 latin10 l10"},
	{"cp437", charmap.CodePage437, "cp437 437 ibm437"},
	{"cp850", charmap.CodePage850, "cp850 850 ibm850"},
	{"cp852", charmap.CodePage852, "cp852 852 ibm852"},
	{"cp855", charmap.CodePage855, "cp855 855 ibm855"},
	{"cp858", charmap.CodePage858, "cp858 858 ibm858"},
	{"cp860", charmap.CodePage860, "cp860 860 ibm860"},
	{"cp862", charmap.CodePage862, "cp862 862 ibm862"},
	{"cp863", charmap.CodePage863, "cp863 863 ibm863"},
	{"cp865", charmap.CodePage865, "cp865 865 ibm865"},
	{"cp866", charmap.CodePage866, "cp866 866 ibm866"},
	{"cp874", charmap.Windows874, "cp874 windows_874"},
	{"cp1250", charmap.Windows1250, "cp1250 1250 windows_1250"},
	{"cp1251", charmap.Windows1251, "cp1251 1251 windows_1251"},
	{"cp1252", charmap.Windows1252, "cp1252 1252 windows_1252"},
	{"cp1253", charmap.Windows1253, "cp1253 1253 windows_1253"},
	{"cp1254", charmap.Windows1254, "cp1254 1254 windows_1254"},
	{"cp1255", charmap.Windows1255, "cp1255 1255 windows_1255"},
	{"cp1256", charmap.Windows1256, "cp1256 1256 windows_1256"},
	{"cp1257", charmap.Windows1257, "cp1257 1257 windows_1257"},
	{"cp1258", charmap.Windows1258, "cp1258 1258 windows_1258"},
	{"koi8-r", charmap.KOI8R, "koi8_r cskoi8r"},
	{"koi8-u", charmap.KOI8U, "koi8_u"},
	{"mac-roman", charmap.Macintosh, "mac_roman macintosh macroman"},
	{"mac-cyrillic", charmap.MacintoshCyrillic, "mac_cyrillic maccyrillic"},
	{"shift_jis", japanese.ShiftJIS, "shift_jis shiftjis sjis s_jis csshiftjis cp932 932 ms932 mskanji ms_kanji"},
	{"euc_jp", japanese.EUCJP, "euc_jp eucjp ujis u_jis"},
	{"iso2022_jp", japanese.ISO2022JP, "iso2022_jp iso2022jp iso_2022_jp csiso2022jp"},
	{"gbk", simplifiedchinese.GBK, "gbk 936 cp936 ms936 gb2312 chinese euc_cn euccn gb2312_80 gb2312_1980"},
	{"gb18030", simplifiedchinese.GB18030, "gb18030 gb18030_2000"},
	{"big5", traditionalchinese.Big5, "big5 big5_tw csbig5 cp950 950 ms950"},
	{"euc_kr", korean.EUCKR, "euc_kr euckr korean ksc5601 ks_c_5601 ks_c_5601_1987 ksx1001 ks_x_1001 cp949 949 ms949 uhc"},
}

// codecByAlias maps each alias to its encoding.
var codecByAlias = func() map[string]namedCodec {
	table := map[string]namedCodec{"": namedCodecs[0]}
	for _, c := range namedCodecs {
		for alias := range strings.FieldsSeq(c.aliases) {
			table[alias] = c
		}
	}
	return table
}()

// lookup returns the encoding of a declared name; no name means UTF-8. As in
// CPython, case and the kind of dash do not matter, and editors may append a
// line end style to the two common names (utf-8-unix, latin-1-dos).
func lookup(name string) (namedCodec, bool) {
	folded := strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for _, common := range []string{"utf_8", "latin_1", "iso_8859_1", "iso_latin_1"} {
		if strings.HasPrefix(folded, common+"_") {
			folded = common
		}
	}
	c, known := codecByAlias[folded]
	return c, known
}
