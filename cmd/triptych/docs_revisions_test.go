package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// features names the features of [host.Revision.Has].
var features = []struct {
	bit  host.Feature
	name string
}{
	{host.NullIDs, `an answer to a message whose id cannot be read says "id":null`},
	{host.DocumentedShapes, "capabilities and binary content as in the families' documents"},
	{host.DocumentedNames, "tools are listed by their documented names"},
	{host.Batches, "batches"},
	{host.Subscriptions, "sessions that watch resources"},
	{host.ToolAnnotations, "tool annotations"},
	{host.AudioContent, "audio content"},
	{host.ProgressMessage, "a message with progress"},
	{host.Completions, "the capability completions"},
	{host.Titles, "titles, _meta on objects, lastModified"},
	{host.Structured, "outputSchema and structuredContent"},
	{host.ResourceLinks, "resource links"},
	{host.Elicitation, "asking the user with a form"},
	{host.URLElicitation, "asking the user on a page"},
	{host.Icons, "icons, a description of the implementation"},
	{host.ErrorsInResults, "errors of tools are told to the model"},
	{host.AnyStructured, "structured content that is no object"},
	{host.BooleanSchemas, "schemas of arguments that are true or false"},
	{host.ResultTypes, "resultType, cache hints and serverInfo in every result"},
	{host.Extensions, "extensions, capabilities beyond the core by name"},
	{host.Skills, "methods of the skills extension"},
}

// httpRules names the rules of [host.Revision.Follows].
var httpRules = []struct {
	bit  host.HTTPRules
	name string
}{
	{host.PlainStatus, "a failure shows in the status too"},
	{host.HTTPSessions, "sessions, a GET stream, DELETE, streams that can be resumed"},
	{host.PrimedStreams, "a stream begins with an event without data"},
	{host.MirroredHeaders, "headers repeat what the body says and must agree"},
	{host.MissingMethods, "a method that does not exist is answered with 404"},
}

// revisionsDocument is docs/revisions.md: what differs between the revisions.
func revisionsDocument(t *testing.T) string {
	var d document
	d.line("# Protocol revisions\n\n%s", generated)
	d.line("The baseline is a client that never named a revision. A modern revision is\n" +
		"claimed in the _meta of each request; the others are settled by initialize,\n" +
		"which is answered with the newest of them when another one is asked for.\n")
	d.comparison("revision", [][]string{
		facet("form", func(r *host.Revision) string {
			if r.Modern {
				return "modern"
			}
			return "handshake"
		}),
		facet("unknown resource", func(r *host.Revision) string {
			if r.NotFound == 0 {
				return "as documented"
			}
			return fmt.Sprint(r.NotFound)
		}),
		facet("quota used up", func(r *host.Revision) string { return fmt.Sprint(r.Quota) }),
	})
	d.line("## Features\n")
	d.comparison("feature", featureRows())
	d.line("## Methods\n")
	d.line("Those of the published schemas of all revisions.\n")
	d.comparison("method", methodRows(t))
	d.line("## Streamable HTTP\n")
	d.comparison("rule", ruleRows())
	return strings.TrimRight(d.String(), "\n") + "\n"
}

// comparison is a table with a column for each revision.
func (d *document) comparison(what string, rows [][]string) {
	heading := []string{what}
	for _, r := range host.Revisions() {
		heading = append(heading, revisionName(r))
	}
	d.table(heading, rows)
}

func revisionName(r *host.Revision) string {
	if r == host.BaselineRevision() {
		return "baseline"
	}
	return r.Name
}

// facet is a row: what a function says of each revision.
func facet(name string, of func(*host.Revision) string) []string {
	row := []string{cell(name)}
	for _, r := range host.Revisions() {
		row = append(row, of(r))
	}
	return row
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

func featureRows() (rows [][]string) {
	for _, f := range features {
		rows = append(rows, facet(f.name, func(r *host.Revision) string { return yes(r.Has(f.bit)) }))
	}
	return rows
}

func ruleRows() (rows [][]string) {
	for _, rule := range httpRules {
		rows = append(rows, facet(rule.name, func(r *host.Revision) string { return yes(r.Follows(rule.bit)) }))
	}
	return rows
}

// methodRows asks the program, as a client of each revision, for each method
// that any published schema has.
func methodRows(t *testing.T) (rows [][]string) {
	t.Helper()
	clients := map[*host.Revision]*mcptest.Client{}
	for _, r := range host.Revisions() {
		clients[r] = mcptest.Connect(t, freshTables(t)...)
		if r != host.BaselineRevision() {
			clients[r].Initialize(r.Name)
		}
	}
	for _, method := range publishedMethods(t) {
		rows = append(rows, facet(method, func(r *host.Revision) string { return yes(serves(clients[r], method)) }))
	}
	return rows
}

// nonsense is of a type that no method takes: a server with the method refuses it
// without doing anything.
var nonsense = map[string]any{
	"protocolVersion": 1, "cursor": 1, "uri": 1, "name": 1, "ref": 1, "level": 1, "notifications": 1, "taskId": 1,
}

func serves(c *mcptest.Client, method string) bool {
	_, err := c.Ask(method, nonsense)
	return err == nil || err.Code != jsonrpc.CodeMethodNotFound
}

// publishedMethods are the requests of clients in the published schemas, in the
// order in which they came.
func publishedMethods(t *testing.T) (all []string) {
	t.Helper()
	for _, r := range host.Revisions()[1:] {
		path := filepath.Join(top, "conformance", "testdata", "schema", r.Name+".json")
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range clientRequests(t, raw) {
			if !slices.Contains(all, method) {
				all = append(all, method)
			}
		}
	}
	return all
}

// clientRequests are the methods of a schema's ClientRequest.
func clientRequests(t *testing.T, raw []byte) (methods []string) {
	t.Helper()
	type definition struct {
		AnyOf []struct {
			Ref string `json:"$ref"`
		} `json:"anyOf"`
		Properties struct {
			Method struct {
				Const string `json:"const"`
			} `json:"method"`
		} `json:"properties"`
	}
	var schema struct {
		Older map[string]json.RawMessage `json:"definitions"`
		Newer map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	find := func(name string) (d definition) {
		found := schema.Newer[name]
		if found == nil {
			found = schema.Older[name]
		}
		if err := json.Unmarshal(found, &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return d
	}
	for _, one := range find("ClientRequest").AnyOf {
		methods = append(methods, find(one.Ref[strings.LastIndexByte(one.Ref, '/')+1:]).Properties.Method.Const)
	}
	return methods
}

// Every bit of a revision has its words.
func TestFeaturesAreNamed(t *testing.T) {
	for _, r := range host.Revisions() {
		left, rules := r.Features, r.HTTP
		for _, f := range features {
			left &^= f.bit
		}
		for _, rule := range httpRules {
			rules &^= rule.bit
		}
		if left != 0 || rules != 0 {
			t.Errorf("revision %s has features %b and rules %b without words", revisionName(r), left, rules)
		}
	}
}
