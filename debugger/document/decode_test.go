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
		{"UTF-32", "\xff\xfe\x00\x00<\x00\x00\x00", encoding, "UTF-32"},
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
