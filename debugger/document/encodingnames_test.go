package document_test

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// An encodingNames is an encoding with its names: the labels of the WHATWG Encoding
// standard that XML permits as names, then those of IANA's registry that are not among
// them. The sample tells it from similar encodings; its text is that of the Unicode
// Consortium's mapping tables.
type encodingNames struct{ names, sample, text string }

var allEncodings = []encodingNames{
	{"unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8 csUTF8", "\xc3\xa9", "é"},
	{"866 cp866 csibm866 ibm866", "\x80\xf0", "АЁ"},
	{"csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 l2 latin2", "\xa1", "Ą"},
	{"csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 l3 latin3", "\xa1", "Ħ"},
	{"csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 l4 latin4", "\xa2", "ĸ"},
	{"csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5", "\xa1", "Ё"},
	{"arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6", "\xc7", "ا"},
	{"csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 sun_eu_greek", "\xe1", "α"},
	{"csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 visual csiso88598i iso-8859-8-i logical", "\xe0", "א"},
	{"csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6", "\xa2", "Ē"},
	{"iso-8859-13 iso8859-13 iso885913 csISO885913", "\xb8", "ø"},
	{"iso-8859-14 iso8859-14 iso885914 iso-ir-199 latin8 iso-celtic l8 csISO885914", "\xa1", "Ḃ"},
	{"csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 Latin-9 csISO885915", "\xa4", "€"},
	{"iso-8859-16 iso-ir-226 latin10 l10 csISO885916", "\xa5", "„"},
	{"cskoi8r koi koi8 koi8-r koi8_r", "\xa3\xc1", "ёа"},
	{"koi8-ru koi8-u csKOI8U", "\xa4", "є"},
	{"csmacintosh mac macintosh x-mac-roman", "\x8e", "é"},
	{"dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874 cswindows874 csTIS620", "\xa1", "ก"},
	{"cp1250 windows-1250 x-cp1250 cswindows1250", "\x8a", "Š"},
	{"cp1251 windows-1251 x-cp1251 cswindows1251", "\xa8", "Ё"},
	{"cp1252 windows-1252 x-cp1252 cswindows1252", "\x80", "€"},
	{"cp1253 windows-1253 x-cp1253 cswindows1253", "\xa2", "Ά"},
	{"cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 l5 latin5 windows-1254 x-cp1254 cswindows1254", "\xf0", "ğ"},
	{"cp1255 windows-1255 x-cp1255 cswindows1255", "\xa4", "₪"},
	{"cp1256 windows-1256 x-cp1256 cswindows1256", "\x81", "پ"},
	{"cp1257 windows-1257 x-cp1257 cswindows1257", "\xa8", "Ø"},
	{"cp1258 windows-1258 x-cp1258 cswindows1258", "\xd2", "\u0309"},
	{"x-mac-cyrillic x-mac-ukrainian", "\x80", "А"},
	{"chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk cp936 ms936 windows-936 csGBK", "\xd6\xd0", "中"},
	{"gb18030 csGB18030", "\xd6\xd0\x81\x30\x84\x36", "中¥"},
	{"big5 big5-hkscs cn-big5 csbig5 x-x-big5 csBig5HKSCS", "\xa4\xa4", "中"},
	{"cseucpkdfmtjapanese euc-jp x-euc-jp", "\xa4\xa2", "あ"},
	{"csiso2022jp iso-2022-jp", "\x1b$B$\x22\x1b(B", "あ"},
	{"csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis csWindows31J", "\x82\xa0", "あ"},
	{"cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949", "\xb0\xa1", "가"},
	{"ansi_x3.4-1968 ascii us-ascii iso-ir-6 ISO646-US us IBM367 cp367 csASCII", "x", "x"},
	{"cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 l1 latin1", "\xe9", "é"},
	{"IBM437 cp437 csPC8CodePage437", "\x82", "é"},
	{"IBM850 cp850 csPC850Multilingual", "\xd0", "ð"},
	{"IBM852 cp852 csPCp852", "\xa4", "Ą"},
	{"IBM855 cp855 csIBM855", "\xa0", "а"},
	{"IBM862 cp862 csPC862LatinHebrew", "\x80", "א"},
	{"IBM00858 CCSID00858 CP00858 csIBM00858", "\xd5", "€"},
}

// Documents are read by each name of their encoding, in capital and small letters.
func TestNamesOfEncodings(t *testing.T) {
	for _, e := range allEncodings {
		for name := range strings.FieldsSeq(e.names) {
			if name[0] >= '0' && name[0] <= '9' { // XML has no such name
				continue
			}
			for _, name := range []string{name, strings.ToUpper(name)} {
				checkEncoding(t, name, e)
			}
		}
	}
}

func checkEncoding(t *testing.T, name string, e encodingNames) {
	t.Helper()
	dir := write(t, t.TempDir(), map[string]string{"a.xml": `<?xml version="1.0" encoding="` + name + `"?><a>` + e.sample + `</a>`})
	lib := open(t, document.Config{Roots: []string{dir}})
	got, err := lib.Query(t.Context(), document.QueryRequest{Document: "a.xml", Query: "string(/a)"})
	if err != nil || got.Items[0].Value != e.text {
		t.Errorf("%s: got %v, %v, want %q", name, got.Items, err, e.text)
	}
}

// Encodings that neither IANA's nor the WHATWG's tables decode are refused by name.
func TestRefusedEncodings(t *testing.T) {
	for _, name := range []string{"iso-2022-kr", "csiso2022kr", "iso-2022-cn", "iso-2022-cn-ext", "replacement", "UTF-7", "SCSU", "BOCU-1"} {
		dir := write(t, t.TempDir(), map[string]string{"a.xml": `<?xml version="1.0" encoding="` + name + `"?><a/>`})
		_, err := open(t, document.Config{Roots: []string{dir}}).Query(t.Context(), document.QueryRequest{Document: "a.xml", Query: "/"})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error that names it", name, err)
		}
	}
}
