package document_test

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// laughs is a document whose entities expand to ten to the n letters.
func laughs(n int, use string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE a [<!ENTITY e0 'x'>")
	for i := range n {
		fmt.Fprintf(&b, "<!ENTITY e%d '%s'>", i+1, strings.Repeat(fmt.Sprintf("&e%d;", i), 10))
	}
	return b.String() + "]>" + fmt.Sprintf(use, n)
}

// TestHostile asks for documents that mean harm. Each must be refused, soon and
// with little memory, by an error of the right type.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"secret": "TOP SECRET", "in/x.dtd": `<!ENTITY e "from outside">`})
	lib := open(t, document.Config{Roots: []string{filepath.Join(dir, "in")}, MaxTime: 4 * time.Minute})
	secret := "file://" + filepath.Join(dir, "secret")
	limit, refused, syntax, query := new(*document.LimitError), new(*document.RefusedError), new(*document.SyntaxError), new(*document.QueryError)
	tests := []struct {
		name, text, query string
		want              any
		mentions          string
	}{
		{"a billion laughs", laughs(9, "<a>&e%d;</a>"), "", limit, "entity expansion"},
		{"laughs in an attribute", laughs(9, "<a b='&e%d;'/>"), "", limit, "entity expansion"},
		{"laughs of markup", strings.Replace(laughs(9, "<a>&e%d;</a>"), "'x'", "'<b/>'", 1), "", limit, "entity expansion"},
		{"laughs by parameter entities", `<!DOCTYPE a [<!ENTITY % a "xxxxxxxxxx"><!ENTITY % b "` + strings.Repeat("%a;", 10) + `">%b;]><a/>`, "", syntax, ""},
		{"quadratic blow-up", "<!DOCTYPE a [<!ENTITY e '" + strings.Repeat("x", 100_000) + "'>]><a>" + strings.Repeat("&e;", 30_000) + "</a>", "", limit, "entity expansion"},
		{"an entity in itself", "<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>", "", syntax, "loop"},
		{"external entity", "<!DOCTYPE a [\n<!ENTITY e SYSTEM '" + secret + "'>]><a>&e;</a>", "", refused, ":2:1"},
		{"external entity, unused", "<!DOCTYPE a [<!ENTITY e PUBLIC 'p' '" + secret + "'>]><a/>", "", refused, "external"},
		{"external parameter entity", "<!DOCTYPE a [<!ENTITY % e SYSTEM '" + secret + "'> %e;]><a/>", "", refused, "external"},
		{"behind a comment", "<!DOCTYPE a [<!-- ' --><!ENTITY e SYSTEM '" + secret + "'><!-- ' -->]><a>&e;</a>", "", refused, "external"},
		{"entity of an external subset", "<!DOCTYPE a SYSTEM 'x.dtd'><a>&e;</a>", "", syntax, "entity e"},
		{"that in an attribute", "<!DOCTYPE a SYSTEM 'x.dtd'><a b='&e;'/>", "", syntax, "entity e"},
		{"attribute defaults for many elements", "<!DOCTYPE a [<!ATTLIST b " + strings.Repeat("x CDATA 'y' ", 10_000) + ">]><a>" + strings.Repeat("<b/>", 100_000) + "</a>", "", limit, "memory"},
		{"depth", strings.Repeat("<a>", 100_000) + strings.Repeat("</a>", 100_000), "", limit, "depth"},
		{"depth that never ends", strings.Repeat("<a>", 1_000_000), "", limit, "depth"},
		{"attributes", "<a " + strings.Repeat("x='' ", 100_000) + "/>", "", limit, "attributes"},
		{"size", "<a>" + strings.Repeat(" ", 33<<20) + "</a>", "", limit, "size"},
		{"many small elements", "<a>" + strings.Repeat("<b/>", 8_000_000) + "</a>", "", limit, "memory"},
		{"another encoding", `<?xml version="1.0" encoding="Shift_JIS"?><a/>`, "", nil, ""}, // a string is Unicode
		{"nothing", "<", "", syntax, ""},
		{"no end", "<a>\n<b></a>", "", syntax, ":2"},

		{"function doc", "<a/>", "doc('" + secret + "')", query, ""},
		{"function unparsed-text", "<a/>", "unparsed-text('" + secret + "')", query, ""},
		{"function collection", "<a/>", "collection('" + secret + "')", query, ""},
		{"function json-doc", "<a/>", "json-doc('" + secret + "')", query, ""},
		{"laughs in a string", "<a/>", "parse-xml(\"" + laughs(9, "<a>&e%d;</a>") + "\")", query, "amplification"},
		{"a string doubled", "<a/>", "fold-left(1 to 60, 'x', function($a, $b) { concat($a, $a) })", limit, "concat"},
		{"a string joined", "<a/>", "string-join((1 to 30000) ! '" + strings.Repeat("x", 5000) + "')", limit, "string-join"},
		{"a string replaced", "<a/>", "string-length(replace(string-join((1 to 100000) ! 'x'), 'x', string-join((1 to 100000) ! 'y')))", limit, "replace"},
		{"recursion", "<a/>", "let $f := function($f, $n) { $f($f, $n + 1) } return $f($f, 1)", limit, "recursion"},
		{"brackets", "<a/>", strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000), query, ""},
		{"a long sequence", "<a/>", "count(1 to 100000000)", limit, "sequence"},
		{"a long query", "<a/>", strings.Repeat("1+", 100_000) + "1", limit, "size"},
		{"a mistake", "<a/>", "//a[", query, ""},
		{"an unknown function", "<a/>", "system('id')", query, "system"},
		{"an unknown prefix", "<a/>", "//p:a", query, "p"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.query == "" {
				test.query = "string(/)"
			}
			start, before := time.Now(), allocated()
			got, err := lib.Query(t.Context(), document.QueryRequest{Document: test.text, Query: test.query})
			if took := time.Since(start); took > 5*time.Minute {
				t.Errorf("it took %v", took)
			}
			if used := allocated() - before; used > 1<<30 {
				t.Errorf("it allocated %d MB", used>>20)
			}
			if test.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !errors.As(err, test.want) || !strings.Contains(err.Error(), test.mentions) {
				t.Errorf("got %v, %T %v, want %T with %q", got, err, err, test.want, test.mentions)
			}
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A document type that only names an external subset is common, and harmless: it
// is not loaded.
func TestExternalSubsetIsNotLoaded(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	connected := make(chan struct{})
	go func() {
		if conn, err := listener.Accept(); err == nil {
			close(connected)
			_ = conn.Close() // the connection itself is the failure
		}
	}()
	lib := open(t, document.Config{})
	for _, text := range []string{
		"<!DOCTYPE a SYSTEM 'http://" + listener.Addr().String() + "/x.dtd'><a>&lt;</a>",
		"<!DOCTYPE a PUBLIC 'p' 'http://" + listener.Addr().String() + "/x.dtd' [<!ENTITY l '&#60;'><!ATTLIST a b CDATA 'c'>]><a>&lt;</a>",
		"<!DOCTYPE a [<!NOTATION n SYSTEM 'n'><!ENTITY pic SYSTEM 'http://" + listener.Addr().String() + "/pic' NDATA n>]><a>&lt;</a>",
	} {
		got, err := lib.Query(t.Context(), document.QueryRequest{Document: text, Query: "string(/)"})
		if err != nil || got.Items[0].Value != "<" {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	select {
	case <-connected:
		t.Error("something connected to the address of the document type")
	default:
	}
}
