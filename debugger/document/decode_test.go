package document_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/triptych-mcp/triptych/debugger/document"
)

func in16(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func in32(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, r := range text {
		out = order.AppendUint32(out, uint32(r))
	}
	return string(out)
}

// ebcdic037 is <?xml version='1.0' encoding='IBM037'?><a> by IBM's table of code page 037.
const ebcdic037 = "\x4c\x6f\xa7\x94\x93\x40\xa5\x85\x99\xa2\x89\x96\x95\x7e\x7d\xf1\x4b\xf0\x7d\x40" +
	"\x85\x95\x83\x96\x84\x89\x95\x87\x7e\x7d\xc9\xc2\xd4\xf0\xf3\xf7\x7d\x6f\x6e\x4c\x81\x6e"

func TestEncodings(t *testing.T) {
	decl := func(encoding string) string { return `<?xml version="1.0" encoding="` + encoding + `"?>` }
	little, big := binary.LittleEndian, binary.BigEndian
	syntax, encoding := new(*document.SyntaxError), new(*document.EncodingError)
	tests := []struct {
		name, text string
		want       any // the text, or a pointer to the type of the error
		mentions   string
	}{
		{"UTF-8", "<a>é𝄞</a>", "é𝄞", ""},
		{"UTF-8 with a mark", "\uFEFF" + decl("utf-8") + "<a>é</a>", "é", ""},
		{"UTF-16, little, with a mark", in16(little, "\uFEFF"+decl("UTF-16")+"<a>é𝄞</a>"), "é𝄞", ""},
		{"UTF-16, big, with a mark", in16(big, "\uFEFF<a>é𝄞</a>"), "é𝄞", ""},
		{"UTF-16, little, without a mark", in16(little, decl("UTF-16LE")+"<a>é</a>"), "é", ""},
		{"UTF-16, big, without a mark", in16(big, decl("UTF-16")+"<a>é</a>"), "é", ""},
		{"ISO-8859-1", decl("ISO-8859-1") + "<a>\xe9\xff</a>", "éÿ", ""},
		{"ISO-8859-1 in small letters and single quotes", "<?xml version='1.0' encoding = 'iso-8859-1' ?><a>\xe9</a>", "é", ""},
		{"US-ASCII", decl("US-ASCII") + "<a>x&#xe9;</a>", "xé", ""},

		// By the mapping tables of the Unicode Consortium.
		{"windows-1252", decl("windows-1252") + "<a>\x80</a>", "€", ""},
		{"windows-1252 by another name", decl("cp1252") + "<a>\x93x\x94</a>", "“x”", ""},
		{"KOI8-R", decl("KOI8-R") + "<a>\xc1</a>", "а", ""},
		{"Shift_JIS", decl("Shift_JIS") + "<a>\x82\xa0</a>", "あ", ""},
		{"GB18030", decl("GB18030") + "<a>\xd6\xd0</a>", "中", ""},
		{"ISO-8859-15", decl("iso-8859-15") + "<a>\xa4</a>", "€", ""},

		{"half a character of Shift_JIS", decl("Shift_JIS") + "<a>\x82</a>", syntax, "Shift_JIS"},
		{"an unknown encoding", decl("x-none") + "<a/>", encoding, "x-none"},
		{"an encoding that does not keep ASCII", decl("IBM037") + "<a/>", encoding, "IBM037"},
		{"UTF-32, little, with a mark", in32(little, "\uFEFF"+decl("UTF-32")+"<a>é𝄞</a>"), "é𝄞", ""},
		{"UTF-32, big, with a mark", in32(big, "\uFEFF<a>é𝄞</a>"), "é𝄞", ""},
		{"UTF-32, little, without a mark", in32(little, "<a>é</a>"), "é", ""},
		{"UTF-32, big, without a mark", in32(big, decl("UTF-32")+"<a>é</a>"), "é", ""},
		{"half a unit of UTF-32", in32(little, "\uFEFF<a/>") + "xy", syntax, "cut short"},
		{"a surrogate in UTF-32", in32(big, "<a>") + "\x00\x00\xd8\x00", syntax, "0xD800 is not UTF-32"},
		{"more than Unicode has in UTF-32", in32(big, "<a>") + "\x80\x00\x00\x00", syntax, "0x80000000 is not UTF-32"},

		// "<?xml version='1.0' encoding='IBM037'?><a>" and "é", which code page 037 has at 51.
		{"EBCDIC, code page 037", ebcdic037 + "\x51" + "\x4c\x61\x81\x6e", "é", ""},
		{"EBCDIC that declares UTF-8", "\x4c\x6f\xa7\x94\x93\x40\xa5\x85\x99\xa2\x89\x96\x95\x7e\x7d\xf1\x4b\xf0\x7d\x40\x85\x95\x83\x96\x84\x89\x95\x87\x7e\x7d\xe4\xe3\xc6\x60\xf8\x7d\x6f\x6e\x4c\x81\x61\x6e", encoding, "UTF-8"},
		{"EBCDIC", "\x4c\x6f\xa7\x94\x93", encoding, "EBCDIC"},
		{"no UTF-8", "<a>\n é\xe9</a>", syntax, ":2:3 is"},
		{"no UTF-8 with an overlong form", "<a>\xc0\xaf</a>", syntax, "0xC0"},
		{"no US-ASCII", decl("US-ASCII") + "<a>\xe9</a>", syntax, "US-ASCII"},
		{"half a pair", in16(little, "\uFEFF<a>") + "\x00\xd8<\x00", syntax, "half"},
		{"half a unit", in16(little, "\uFEFF<a/>") + "x", syntax, "half"},
		{"a character that XML does not have", "<a>\x01</a>", syntax, ""},
		{"an empty file", "", syntax, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lib := open(t, document.Config{Roots: []string{write(t, t.TempDir(), map[string]string{"a.xml": test.text})}})
			got, err := lib.Query(t.Context(), document.QueryRequest{Document: "a.xml", Query: "string(/a)"})
			if want, ok := test.want.(string); ok {
				if err != nil || got.Items[0].Value != want {
					t.Errorf("got %v %v, want %q", got.Items, err, want)
				}
				return
			}
			if err == nil || !errors.As(err, test.want) || !strings.Contains(err.Error(), test.mentions) {
				t.Errorf("got %v, %T %v, want %T with %q", got.Items, err, err, test.want, test.mentions)
			}
		})
	}
}
