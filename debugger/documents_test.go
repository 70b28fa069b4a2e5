package debugger_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// asDocuments makes the test's own program read documents for others.
const asDocuments = "TRIPTYCH_TEST_DOCUMENTS"

const orders = `<orders xmlns:p="urn:p">
  <order total="120"><customer>Ann &amp; Bob</customer></order>
  <order total="80"><p:customer>Zoë</p:customer></order>
</orders>
`

// orderSchema wants a customer without a namespace in each order.
const orderSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:element name="orders"><xs:complexType><xs:sequence>
    <xs:element name="order" maxOccurs="unbounded"><xs:complexType>
      <xs:sequence><xs:element name="customer" type="xs:string"/></xs:sequence>
      <xs:attribute name="total" type="xs:positiveInteger"/>
    </xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>
`

// documentFolder has a few documents.
func documentFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"orders.xml": orders, "orders.xsd": orderSchema,
		"sub/one.xml": "<a/>", "sub/two.xml": "<b/>", "broken.xml": "<a>\n<b></a>",
		"noschema.xsd": `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element/></xs:schema>`,
		"outer.xsd":    `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="gone.xsd"/><xs:element name="a"/></xs:schema>`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// openDocuments serves the family with documents.
func openDocuments(t *testing.T, config debugger.Documents, vars map[string]string) *mcptest.Client {
	t.Helper()
	cfg := debugger.Config{Documents: config}
	table, err := cfg.Open(t.Context(), host.Env{
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Data: t.TempDir(), Getenv: func(name string) string { return vars[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	return mcptest.Connect(t, table)
}

// both runs a test with documents read in this process and in another.
func both(t *testing.T, test func(t *testing.T, client *mcptest.Client, dir string)) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string][]string{"here": nil, "isolated": {"/usr/bin/env", asDocuments + "=1", self}} {
		t.Run(name, func(t *testing.T) {
			dir := documentFolder(t)
			test(t, openDocuments(t, debugger.Documents{Roots: []string{dir}, Command: command}, nil), dir)
		})
	}
}

func TestXPathQuery(t *testing.T) {
	both(t, func(t *testing.T, client *mcptest.Client, dir string) {
		for _, tt := range []struct{ name, arguments, want string }{
			{
				"elements", `{"document":"orders.xml","query":"//order[@total > 100]"}`,
				"Found 1 node:\n\n1. /orders[1]/order[1] (line 2, column 3)\n   <order total=\"120\"><customer>Ann &amp; Bob</customer></order>",
			},
			{
				"attributes", `{"document":"orders.xml","query":"//@total"}`,
				"Found 2 nodes:\n\n1. /orders[1]/order[1]/@total (line 2, column 3)\n   120\n\n2. /orders[1]/order[2]/@total (line 3, column 3)\n   80",
			},
			{
				"a prefix of the root element, and letters as they are", `{"document":"orders.xml","query":"//p:customer"}`,
				"Found 1 node:\n\n1. /orders[1]/order[2]/Q{urn:p}customer[1] (line 3, column 21)\n   <p:customer xmlns:p=\"urn:p\">Zoë</p:customer>",
			},
			{"a prefix of the query", `{"document":"orders.xml","query":"string(//q:customer)","namespaces":{"q":"urn:p"}}`, "Result (string): Zoë"},
			{"a number", `{"document":"orders.xml","query":"count(//order)","version":"1.0"}`, "Result (number): 2"},
			{"a boolean", `{"document":"orders.xml","query":"//order = 3","version":"1.0"}`, "Result (boolean): false"},
			{"a sequence", `{"document":"<a/>","query":"(1, 'x')"}`, "Found 2 items:\n\n1. xs:integer: 1\n\n2. xs:string: x"},
			{"nothing", `{"document":"orders.xml","query":"//nobody"}`, "Found no nodes"},
			{
				"a page", `{"document":"orders.xml","query":"//@total","max_results":1}`,
				"Found 2 nodes, showing 1 to 1:\n\n1. /orders[1]/order[1]/@total (line 2, column 3)\n   120\n\nMore results follow; go on with offset 1",
			},
			{
				"the last page", `{"document":"orders.xml","query":"//@total","max_results":1,"offset":1}`,
				"Found 2 nodes, showing 2 to 2:\n\n2. /orders[1]/order[2]/@total (line 3, column 3)\n   80",
			},
			{"beyond the end", `{"document":"orders.xml","query":"//@total","offset":7}`, "Found 2 nodes, none from offset 7 on"},
			{"an absolute path", `{"document":"` + dir + `/sub/one.xml","query":"name(/*)"}`, "Result (string): a"},
			{"inline", `{"document":"\n<a>\n<b/>\n</a>","query":"//b"}`, "Found 1 node:\n\n1. /a[1]/b[1] (line 3, column 1)\n   <b/>"},
			{"lines of an element", `{"document":"<a>\n<b/>\n</a>","query":"/a"}`, "Found 1 node:\n\n1. /a[1] (line 1, column 1)\n   <a>\n   <b/>\n   </a>"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				same(t, client.Call("xpath_query", json.RawMessage(tt.arguments)).String(), tt.want)
			})
		}
	})
}

func TestValidateSchema(t *testing.T) {
	both(t, func(t *testing.T, client *mcptest.Client, _ string) {
		for _, tt := range []struct{ name, document, schema, want string }{
			{"files", "sub/one.xml", "outer.xsd", `^sub/one.xml matches outer.xsd \(XML Schema 1.0\)\nWarning: .*gone.xsd.*$`},
			{"inline document", `<orders><order total="1"><customer/></order></orders>`, "orders.xsd", `^inline matches orders.xsd \(XML Schema 1.0\)$`},
			{"inline schema", "sub/one.xml", `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"/></xs:schema>`, `^sub/one.xml matches inline \(XML Schema 1.0\)$`},
		} {
			got := client.Call("validate_schema", map[string]any{"document": tt.document, "schema": tt.schema})
			if !regexp.MustCompile(tt.want).MatchString(got.Text) {
				t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
			}
		}
	})
}

// The data of the errors of a validation.
type invalidData struct {
	Details    string
	Violations []struct {
		File         string
		Line, Column int
		Path         string
		Message      string
	}
	More int
}

// Whatever is wrong with a document or a schema, each place is told.
func TestViolations(t *testing.T) {
	const many = 150
	both(t, func(t *testing.T, client *mcptest.Client, dir string) {
		for _, tt := range []struct {
			name, document, schema string
			want                   []string // line:column path
			details                string   // how they begin
		}{
			{
				"two violations", "<orders>\n<order total='0'><customer/></order>\n <order total='1'><x/></order>\n</orders>", "orders.xsd",
				[]string{"2:1 /orders[1]/order[1]/@total", "3:19 /orders[1]/order[2]/x[1]"},
				"inline does not match " + dir + "/orders.xsd (2 violations):\nline 2:1 /orders[1]/order[1]/@total: ",
			},
			{"a broken document", "broken.xml", "orders.xsd", []string{"2:"}, dir + "/broken.xml is not well-formed (1 violation):\n" + dir + "/broken.xml:2:"},
			{"a broken schema", "orders.xml", "broken.xml", []string{"2:"}, dir + "/broken.xml is not well-formed"},
			{"no schema", "orders.xml", "noschema.xsd", []string{"1:56 "}, dir + "/noschema.xsd cannot be used as a schema (1 violation):\n"},
			{
				"many", "<orders>" + strings.Repeat("<order total='-1'><customer/></order>", many) + "</orders>", "orders.xsd",
				[]string{"1:9 /orders[1]/order[1]/@total"},
				"inline does not match " + dir + "/orders.xsd (150 violations):\n",
			},
		} {
			t.Run(tt.name, func(t *testing.T) {
				got := client.Call("validate_schema", map[string]any{"document": tt.document, "schema": tt.schema})
				if got.Err == nil || got.Err.Code != -32009 || got.Err.Message != "Schema validation failed" {
					t.Fatalf("got %s", got)
				}
				var data invalidData
				if err := json.Unmarshal(got.Err.Data, &data); err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(data.Details, tt.details) {
					t.Errorf("details %q, want the beginning %q", data.Details, tt.details)
				}
				for i, want := range tt.want {
					v := data.Violations[i]
					if place := fmt.Sprintf("%d:%d %s", v.Line, v.Column, v.Path); !strings.HasPrefix(place, want) || v.Message == "" {
						t.Errorf("violation %d is %+v, want it at %s", i, v, want)
					}
				}
				if tt.name == "many" && (len(data.Violations) != many || !strings.HasSuffix(data.Details, "\n… and 50 more") || strings.Count(data.Details, "\n") != 101) {
					t.Errorf("%d violations, and details %q", len(data.Violations), data.Details)
				}
			})
		}
	})
}

// The model is told all of it where only text reaches it.
func TestViolationsToldToModel(t *testing.T) {
	client := openDocuments(t, debugger.Documents{Roots: []string{documentFolder(t)}}, nil)
	client.Initialize(mcptest.Newest())
	got := client.Call("validate_schema", map[string]any{"document": "<orders><order total='0'><customer/></order></orders>", "schema": "orders.xsd"})
	if want := "\nline 1:9 /orders[1]/order[1]/@total: "; !got.IsError || !strings.HasPrefix(got.Text, "Schema validation failed: ") || !strings.Contains(got.Text, want) {
		t.Errorf("got %s, want an error with %q", got, want)
	}
}

// An error never grows beyond what clients take: what does not fit is counted.
func TestViolationsFit(t *testing.T) {
	client := openDocuments(t, debugger.Documents{Roots: []string{documentFolder(t)}, Timeout: 5 * time.Minute}, nil)
	long := strings.Repeat("x", 2000)
	const orders = 1000 // of which about 760 fit
	got := client.Call("validate_schema", map[string]any{
		"document": "<orders>" + strings.Repeat("<order "+long+"='1'><customer/></order>", orders) + "</orders>", "schema": "orders.xsd",
	})
	var data invalidData
	if got.Err == nil || json.Unmarshal(got.Err.Data, &data) != nil || len(got.Err.Data) > mcp.MaxAnswer/2 {
		t.Fatalf("got an answer of %d bytes, want an error of at most %d", len(got.Raw), mcp.MaxAnswer/2)
	}
	if data.More == 0 || len(data.Violations)+data.More != orders {
		t.Errorf("%d violations and %d more, want %d in all", len(data.Violations), data.More, orders)
	}
}

// What is wrong with each argument, and which code it has.
func TestDocumentErrors(t *testing.T) {
	dir := documentFolder(t)
	if err := os.Symlink("/etc", filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	client := openDocuments(t, debugger.Documents{Roots: []string{dir}}, nil)
	const bad, denied, missing = jsonrpc.CodeInvalidParams, host.CodePermissionDenied, jsonrpc.Code(-32008)
	for _, tt := range []struct {
		tool, arguments string
		code            jsonrpc.Code
		message         string
		details         string // a part
	}{
		{"xpath_query", `{}`, bad, "", `missing required argument "document"; missing required argument "query"`},
		{"xpath_query", `{"document":1,"query":2}`, bad, "", "document must be a string; query must be a string"},
		{"xpath_query", `{"document":"","query":""}`, bad, "", "document must have at least 1 characters; query must have at least 1 characters"},
		{"xpath_query", `{"document":"<a/>","query":"/","namespaces":["a"]}`, bad, "", "namespaces must be an object"},
		{"xpath_query", `{"document":"<a/>","query":"/","namespaces":{"a":1}}`, bad, "", `namespaces["a"] must be a string`},
		{"xpath_query", `{"document":"<a/>","query":"/","version":"2.0"}`, bad, "", "version must be one of 1.0, 3.1"},
		{"xpath_query", `{"document":"<a/>","query":"/","version":3.1}`, bad, "", "version must be a string"},
		{"xpath_query", `{"document":"<a/>","query":"/","max_results":0}`, bad, "", "max_results must be a positive integer"},
		{"xpath_query", `{"document":"<a/>","query":"/","max_results":10001}`, bad, "", "max_results must be at most 10000"},
		{"xpath_query", `{"document":"<a/>","query":"/","offset":-1}`, bad, "", "offset must be at least 0"},
		{"xpath_query", `{"document":"<a/>","query":"/","offset":0.5}`, bad, "", "offset must be an integer"},
		{"xpath_query", `{"document":"<a/>","query":"/","xpath":"/"}`, bad, "", `unknown argument "xpath"`},
		{"xpath_query", `{"document":"<a/>","query":"//["}`, bad, "", `query "//[": `},
		{"xpath_query", `{"document":"<a/>","query":"$v"}`, bad, "", `query "$v": `},
		{"xpath_query", `{"document":"<a/>","query":"//q:a"}`, bad, "", `query "//q:a": `},
		{"xpath_query", `{"document":"<a/>","query":"1 idiv 0"}`, bad, "", "FOAR0001"},
		{"xpath_query", `{"document":"<a/>","query":"let $x := 1 return $x","version":"1.0"}`, bad, "", "query "},
		{"xpath_query", `{"document":"<a><b></a>","query":"/"}`, bad, "", "inline:1:"},
		{"xpath_query", `{"document":"broken.xml","query":"/"}`, bad, "", "is not well-formed"},
		{"xpath_query", `{"document":"` + strings.Repeat("<a>", 300) + `","query":"/"}`, bad, "", "exceeds the limit of"},
		{"xpath_query", `{"document":"<a/>","query":"` + strings.Repeat(" ", 1<<16) + `/"}`, bad, "", "query exceeds the limit of size"},
		{"xpath_query", `{"document":"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>","query":"/"}`, bad, "", "is refused"},
		{"xpath_query", `{"document":"gone.xml","query":"/"}`, missing, "Document not found", `document "gone.xml" not found; relative paths begin at`},
		{"xpath_query", `{"document":"../orders.xml","query":"/"}`, denied, "Permission denied", "outside of the allowed directories; --documents names"},
		{"xpath_query", `{"document":"/etc/passwd","query":"/"}`, denied, "Permission denied", "outside of the allowed directories"},
		{"xpath_query", `{"document":"/no/such","query":"/"}`, denied, "Permission denied", "outside of the allowed directories"},
		{"xpath_query", `{"document":"away/passwd","query":"/"}`, denied, "Permission denied", "away/passwd"},
		{"xpath_query", `{"document":"sub","query":"/"}`, denied, "Permission denied", "sub"},
		{"validate_schema", `{}`, bad, "", `missing required argument "document"; missing required argument "schema"`},
		{"validate_schema", `{"document":[],"schema":{}}`, bad, "", "document must be a string; schema must be a string"},
		{"validate_schema", `{"document":"","schema":""}`, bad, "", "schema must have at least 1 characters"},
		{"validate_schema", `{"document":"gone.xml","schema":"orders.xsd"}`, missing, "Document not found", `"gone.xml"`},
		{"validate_schema", `{"document":"orders.xml","schema":"gone.xsd"}`, missing, "Document not found", `"gone.xsd"`},
		{"validate_schema", `{"document":"orders.xml","schema":"../x.xsd"}`, denied, "Permission denied", `"../x.xsd"`},
		{"validate_schema", `{"document":"../x.xml","schema":"orders.xsd"}`, denied, "Permission denied", `"../x.xml"`},
		{"cache_stats", `{"verbose":true}`, bad, "", `unknown argument "verbose"`},
		{"preload_documents", `{}`, bad, "", "give at least one of paths and globs"},
		{"preload_documents", `{"paths":[],"globs":[]}`, bad, "", "give at least one of paths and globs"},
		{"preload_documents", `{"paths":"orders.xml"}`, bad, "", "paths must be an array"},
		{"preload_documents", `{"globs":[1]}`, bad, "", "globs[0] must be a string"},
		{"preload_documents", `{"paths":["gone.xml"]}`, missing, "Document not found", `"gone.xml"`},
		{"preload_documents", `{"globs":["*.html"]}`, missing, "Document not found", `"*.html"`},
		{"preload_documents", `{"paths":["gone.xml","../x.xml"]}`, denied, "Permission denied", `"../x.xml"`},
		{"preload_documents", `{"globs":["/etc/*"]}`, denied, "Permission denied", `"/etc/*"`},
		{"preload_documents", `{"paths":["broken.xml"]}`, bad, "", "is not well-formed"},
		{"preload_documents", `{"globs":["a[.xml"]}`, bad, "", `"a[.xml": syntax error in pattern`},
		{"preload_documents", `{"paths":["a[.xml"]}`, bad, "", "syntax error in pattern"},
	} {
		got := client.Call(tt.tool, json.RawMessage(tt.arguments))
		if got.Err == nil || got.Err.Code != tt.code || got.Err.Message != cmp.Or(tt.message, "Invalid params") || !strings.Contains(got.Err.Error(), tt.details) {
			t.Errorf("%s %.100s: got %s, want %d with %q", tt.tool, tt.arguments, got, tt.code, tt.details)
		}
	}
}

// The cache counts what is asked, and preloading fills it.
func TestCacheAndPreload(t *testing.T) {
	both(t, func(t *testing.T, client *mcptest.Client, dir string) {
		same(t, client.Call("cache_stats", nil).Text,
			"Document Cache:\n  Entries: 0\n  Memory: 0 bytes of 256.0 MiB\n  Hits: 0 (0%)\n  Misses: 0\n  Evictions: 0")
		like(t, client.Call("preload_documents", json.RawMessage(`{"paths":["orders.xml","gone.xml","broken.xml"],"globs":["sub/*.xml"]}`)).Text,
			`Preloaded 3 of 5 documents:\n\n1\. orders\.xml - loaded \([0-9.]+ KiB, [0-9]+ ms\)\n2\. gone\.xml - failed: document "gone\.xml" not found\n`+
				`3\. broken\.xml - failed: .*broken\.xml:2:[0-9]+ is not well-formed: .*\n`+
				`4\. .*/sub/one\.xml - loaded \(.*\)\n5\. .*/sub/two\.xml - loaded \(.*\)`)
		like(t, client.Call("preload_documents", json.RawMessage(`{"globs":["**/o*.xml"]}`)).Text,
			`Preloaded 2 of 2 documents:\n\n1\. .*/orders\.xml - already in the cache \(.*\)\n2\. .*/sub/one\.xml - already in the cache \(.*\)`)
		client.Call("xpath_query", json.RawMessage(`{"document":"orders.xml","query":"/"}`))
		like(t, client.Call("cache_stats", nil).Text,
			`Document Cache:\n  Entries: 3\n  Memory: [0-9.]+ KiB of 256\.0 MiB\n  Hits: 3 \([0-9]+%\)\n  Misses: [0-9]+\n  Evictions: 0\n\n`+
				regexp.QuoteMeta(dir)+`/orders\.xml \(document, [0-9.]+ KiB, 2 hits, loaded [0-9ms]+ ago\)\n.*/sub/one\.xml \(document, .*, 1 hit, .*\)\n.*/sub/two\.xml \(document, .*, 0 hits, .*\)`)
	})
}

func like(t *testing.T, got, pattern string) {
	t.Helper()
	if !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
		t.Errorf("got %q, want it like %s", got, pattern)
	}
}

// A client that requests progress is notified of every document.
func TestPreloadProgress(t *testing.T) {
	both(t, func(t *testing.T, client *mcptest.Client, _ string) {
		client.Initialize("2025-06-18")
		_, err := client.Ask("tools/call", json.RawMessage(
			`{"name":"preload_documents","arguments":{"paths":["sub/one.xml","gone.xml"]},"_meta":{"progressToken":"p"}}`))
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i <= 2; i++ {
			like(t, string(client.Notification().Params), fmt.Sprintf(`\{"progressToken":"p","progress":%d,"total":2,"message":"(sub/one\.xml: loaded|gone\.xml: .*)"\}`, i))
		}
	})
}

// The answers as data.
func TestDocumentsStructured(t *testing.T) {
	client := openDocuments(t, debugger.Documents{Roots: []string{documentFolder(t)}}, nil)
	client.Initialize(mcptest.Newest())
	for _, tt := range []struct{ tool, arguments, want string }{
		{
			"xpath_query", `{"document":"<a><b c='1'/>t</a>","query":"/a/b/@c","max_results":5}`,
			`{"type":"nodes","total":1,"offset":0,"items":[{"kind":"attribute","path":"/a[1]/b[1]/@c","name":"c","value":"1","line":1,"column":4}]}`,
		},
		{
			"xpath_query", `{"document":"<a><b/><b/></a>","query":"//b","max_results":1}`,
			`{"type":"nodes","total":2,"offset":0,"items":[{"kind":"element","path":"/a[1]/b[1]","name":"b","markup":"<b/>","line":1,"column":4}],"next_offset":1}`,
		},
		{
			"validate_schema", `{"document":"sub/one.xml","schema":"<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='a'/></xs:schema>"}`,
			`{"valid":true,"document":"sub/one.xml","schema":"inline","version":"1.0","warnings":[]}`,
		},
		{"xpath_query", `{"document":"sub/one.xml","query":"name(/*)"}`, `{"type":"string","total":1,"offset":0,"items":[{"kind":"xs:string","value":"a"}]}`},
		{"cache_stats", `{}`, `{"entries":1,"bytes":1,"budget":268435456,"hits":0,"misses":1,"evictions":0,"hit_ratio":0,"abandoned":0,"documents":[{"path":"one.xml","kind":"document","bytes":1,"hits":0,"age_ms":1}]}`},
		{"preload_documents", `{"paths":["sub/one.xml","gone"]}`, `{"loaded":1,"failed":1,"documents":[{"path":"one.xml","status":"cached","bytes":1},` +
			`{"path":"gone","status":"failed","error":"document \"gone\" not found"}]}`},
	} {
		got := client.Call(tt.tool, json.RawMessage(tt.arguments))
		if diff := gocmp.Diff(levelled(t, []byte(tt.want)), levelled(t, got.Structured)); diff != "" {
			t.Errorf("%s %s: (-want +got)\n%s", tt.tool, tt.arguments, diff)
		}
	}
}

// levelled is JSON without what differs from run to run: sizes that are
// estimated, times and folders.
func levelled(t *testing.T, raw []byte) any {
	t.Helper()
	for _, change := range [][2]string{{`"bytes":[0-9]+`, `"bytes":1`}, {`"age_ms":[0-9]+`, `"age_ms":1`}, {`,"took_ms":[0-9]+`, ""}, {`"[^"]*/one\.xml","(kind|status)":"(document|cached)"`, `"one.xml","$1":"$2"`}} {
		raw = regexp.MustCompile(change[0]).ReplaceAll(raw, []byte(change[1]))
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// Where the documents are: what is configured, else the environment's list,
// else the working directory.
func TestDocumentRoots(t *testing.T) {
	here, listed, given := documentFolder(t), t.TempDir(), t.TempDir()
	for dir, name := range map[string]string{listed: "listed.xml", given: "given.xml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("<a/>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(here)
	list := map[string]string{"TRIPTYCH_DOCUMENTS": listed + string(os.PathListSeparator) + here}
	for _, tt := range []struct {
		name   string
		roots  []string
		vars   map[string]string
		can    []string
		cannot []string
	}{
		{"the working directory", nil, nil, []string{"orders.xml"}, []string{filepath.Join(given, "given.xml")}},
		{"the environment", nil, list, []string{"orders.xml", "listed.xml"}, []string{filepath.Join(given, "given.xml")}},
		{"the configuration", []string{given, "sub"}, list, []string{"given.xml", "one.xml"}, []string{filepath.Join(here, "orders.xml"), filepath.Join(listed, "listed.xml")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client := openDocuments(t, debugger.Documents{Roots: tt.roots}, tt.vars)
			for _, path := range tt.can {
				if got := client.Call("xpath_query", map[string]any{"document": path, "query": "1"}); got.Err != nil {
					t.Errorf("%s: got %s", path, got)
				}
			}
			for _, path := range tt.cannot {
				if got := client.Call("xpath_query", map[string]any{"document": path, "query": "1"}); got.Err == nil || got.Err.Code != host.CodePermissionDenied {
					t.Errorf("%s: got %s, want it denied", path, got)
				}
			}
		})
	}
}

// A server started in the root of the file system does not serve all files.
func TestDocumentsOfTheRoot(t *testing.T) {
	t.Chdir("/")
	client := openDocuments(t, debugger.Documents{}, nil)
	if got := client.Call("xpath_query", map[string]any{"document": "etc/passwd", "query": "1"}); got.Err == nil || got.Err.Code != host.CodePermissionDenied {
		t.Errorf("got %s, want it denied", got)
	}
	same(t, client.Call("xpath_query", map[string]any{"document": "<a/>", "query": "name(/*)"}).Text, "Result (string): a")
}

// What cannot work is told at the start.
func TestDocumentsConfiguration(t *testing.T) {
	dir := documentFolder(t)
	for _, tt := range []struct {
		config debugger.Documents
		want   string
	}{
		{debugger.Documents{Roots: []string{filepath.Join(dir, "gone")}}, "gone: no such file or directory"},
		{debugger.Documents{Roots: []string{filepath.Join(dir, "orders.xml")}}, "orders.xml is no folder"},
		{debugger.Documents{Roots: []string{""}}, "it has no name"},
		{debugger.Documents{Memory: -1}, "must not be negative"},
		{debugger.Documents{Size: -1}, "must not be negative"},
		{debugger.Documents{Size: 257}, "documents of 257 MiB: at most 256 are read"},
		{debugger.Documents{Timeout: -1}, "must not be negative"},
	} {
		cfg := debugger.Config{Documents: tt.config}
		_, err := cfg.Open(t.Context(), host.Env{Logger: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(string) string { return "" }})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want %s", tt.config, err, tt.want)
		}
	}
}

// A query that takes too long is given up, and the next one answered.
func TestDocumentsTimeout(t *testing.T) {
	client := openDocuments(t, debugger.Documents{Roots: []string{documentFolder(t)}, Timeout: 300 * time.Millisecond}, nil)
	slow := map[string]any{"document": "<a>" + strings.Repeat("<b/>", 3000) + "</a>", "query": "count(//b[count(//b[count(//b) > 3]) > 2])"}
	if got := client.Call("xpath_query", slow); got.Err == nil || got.Err.Code != jsonrpc.CodeInvalidParams || !strings.Contains(got.Err.Error(), "query exceeds the limit of processor time (") {
		t.Errorf("got %s: %v, want the limit of processor time", got, got.Err)
	}
	same(t, client.Call("xpath_query", map[string]any{"document": "<a/>", "query": "name(/*)"}).Text, "Result (string): a")
}

// A query ends with the interest of who asked it.
func TestDocumentsCancelled(t *testing.T) {
	cfg := debugger.Config{Documents: debugger.Documents{Roots: []string{documentFolder(t)}}}
	table, err := cfg.Open(t.Context(), host.Env{Logger: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table)
	if err != nil {
		t.Fatal(err)
	}
	h := server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	params := fmt.Sprintf(`{"name":"xpath_query","arguments":{"document":"<a>%s</a>","query":"count(//b[count(//b[count(//b) > 3]) > 2])"}}`, strings.Repeat("<b/>", 3000))
	start := time.Now()
	_, err = h.Handle(ctx, &jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: []byte(params)}, nil)
	if !errors.Is(err, context.Canceled) || time.Since(start) > 20*time.Second {
		t.Errorf("got %v after %v, want %v soon", err, time.Since(start), context.Canceled)
	}
}

// Reading documents and filling the cache are different rights.
func TestDocumentScopes(t *testing.T) {
	dir := documentFolder(t)
	for tool, scope := range map[string]mcp.Scope{
		`xpath_query","arguments":{"document":"orders.xml","query":"/"}`:               "document:read",
		`validate_schema","arguments":{"document":"orders.xml","schema":"orders.xsd"}`: "document:read",
		`cache_stats"`: "document:read",
		`preload_documents","arguments":{"paths":["orders.xml"]}`: "document:write",
	} {
		for _, has := range []mcp.Scope{"document:read", "document:write", "debug:write"} {
			cfg := &debugger.Config{Documents: debugger.Documents{Roots: []string{dir}}}
			got := ask(t, cfg, host.Principal{ID: "k", Scopes: []mcp.Scope{has}}, `tools/call {"name":"`+tool+`}`)
			if refused := strings.Contains(got, `"code":-32003`); refused == (has == scope) {
				t.Errorf("%s with %s: %s", tool, has, got)
			}
		}
	}
}

// Remote callers do not learn where on the server's disk the documents are.
func TestDocumentFoldersAreHidden(t *testing.T) {
	dir := documentFolder(t)
	if err := os.WriteFile(filepath.Join(dir, "invalid.xml"), []byte(`<orders/>`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"outer.xsd", "noschema.xsd"} { // a name that JSON writes with an escape
		if err := os.Link(filepath.Join(dir, name), filepath.Join(dir, "a&b "+name)); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "documents")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	remote := host.Principal{ID: "k", Scopes: []mcp.Scope{"document:read", "document:write"}}
	const stats = `tools/call {"name":"cache_stats"}`
	for _, tt := range []struct{ arguments, then, want string }{
		{`xpath_query","arguments":{"document":"sub/one.xml","query":"base-uri(/), document-uri(/), static-base-uri(), string(resolve-uri('x'))"`, "", "xs:anyURI: file:///sub/one.xml"},
		{`xpath_query","arguments":{"document":"sub/one.xml","query":"doc('two.xml')"`, "", `file:///sub/two.xml`},
		{`xpath_query","arguments":{"document":"broken.xml","query":"/"`, "", `broken.xml`},
		{`xpath_query","arguments":{"document":"sub","query":"/"`, "", `it is no regular file`},
		{`validate_schema","arguments":{"document":"invalid.xml","schema":"orders.xsd"`, "", `"details":"invalid.xml does not match orders.xsd`},
		{`validate_schema","arguments":{"document":"broken.xml","schema":"orders.xsd"`, "", `"file":"broken.xml"`},
		{`validate_schema","arguments":{"document":"sub/one.xml","schema":"outer.xsd"`, "", `not found: gone.xsd`},
		{`validate_schema","arguments":{"document":"sub/one.xml","schema":"a&b outer.xsd"`, "", `not found: gone.xsd`},
		{`validate_schema","arguments":{"document":"sub/one.xml","schema":"a&b noschema.xsd"`, "", `b noschema.xsd`},
		{`preload_documents","arguments":{"globs":["**/*.xml"]`, "", `sub/one.xml - loaded`},
		{`preload_documents","arguments":{"paths":["gone.xml"]`, "", `gone.xml`},
		{`xpath_query","arguments":{"document":"orders.xml","query":"/"`, stats, `\n\norders.xml (document, `},
	} {
		for _, root := range []string{dir, link} {
			requests := []string{`tools/call {"name":"` + tt.arguments + `}}`}
			if tt.then != "" {
				requests = append(requests, tt.then)
			}
			cfg := &debugger.Config{Documents: debugger.Documents{Roots: []string{root}}}
			got := ask(t, cfg, remote, requests...)
			if !strings.Contains(got, tt.want) || strings.Contains(got, filepath.Dir(dir)) || strings.Contains(got, filepath.Dir(link)) {
				t.Errorf("%s: got %s, want %q and no folder", tt.arguments, got, tt.want)
			}
		}
	}
}

// The size of documents may be set. The memory that a tree needs is reported before it is
// built, and a server that is started with the flags of the error reads the document.
func TestDocumentsSize(t *testing.T) {
	dir := documentFolder(t)
	text := "<a>" + strings.Repeat("<b>some text</b>", 80_000) + "</a>" // 1.28 MB
	if err := os.WriteFile(filepath.Join(dir, "large.xml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ask := func(documents debugger.Documents) (text string, err *jsonrpc.Error) {
		documents.Roots = []string{dir}
		got := openDocuments(t, documents, nil).Call("xpath_query", map[string]any{"document": "large.xml", "query": "count(//b[ancestor::a])"}) // which needs a tree
		return got.Text, got.Err
	}
	for _, tt := range []struct {
		documents debugger.Documents
		want      string
		set       func(d *debugger.Documents) *int
	}{
		{
			debugger.Documents{Size: 1}, fmt.Sprintf("exceeds the limit of size in bytes (1048576): it has %d; start the server with --documents-size ", len(text)),
			func(d *debugger.Documents) *int { return &d.Size },
		},
		{
			debugger.Documents{Size: 2, Memory: 64}, "exceeds the limit of memory in bytes (33554432): its tree may need ",
			func(d *debugger.Documents) *int { return &d.Memory },
		},
	} {
		_, err := ask(tt.documents)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want %s", tt.documents, err, tt.want)
			continue
		}
		m := regexp.MustCompile(`--documents-\w+ (\d+) or more`).FindStringSubmatch(err.Error())
		if m == nil {
			t.Errorf("%+v: got %v, want advice", tt.documents, err)
			continue
		}
		*tt.set(&tt.documents), _ = strconv.Atoi(m[1]) // digits
		if text, err := ask(tt.documents); err != nil || text != "Result (number): 80000" {
			t.Errorf("%+v: got %s, %v, want 80000", tt.documents, text, err)
		}
	}
}
