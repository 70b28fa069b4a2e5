package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/surface"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
	"github.com/triptych-mcp/triptych/rulesets"
)

// toolsDocument is docs/tools.md: every family with its tools, resources and
// prompts, also the tools that --consumers adds.
func toolsDocument(t *testing.T) string {
	families := app.New().Families
	for _, f := range families {
		if c, ok := f.Config.(*rulesets.Config); ok {
			c.Consumers = true
		}
	}
	tables := openTables(t, families)
	cfg := mcptest.Config{Server: mcp.Config{ToolNames: host.DocumentedToolNames}}
	client := cfg.Connect(t, tables...)
	client.Initialize(mcptest.Newest())
	listed := map[string]listedTool{}
	for _, raw := range client.List("tools") {
		var tool listedTool
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		listed[tool.Name] = tool
	}
	var d document
	d.line("# Tools\n\n%s", generated)
	d.line("Names are as documented. To clients of revision 2025-03-26 and later a\n" +
		"slash is listed as an underscore; every client may call either spelling.\n" +
		"Unlisted arguments are accepted, but `tools/list` leaves them out, since models\n" +
		"seldom need them.\n")
	d.used = map[string]bool{}
	for i, f := range families {
		d.family(t, f, tables[i], listed)
	}
	for key := range meanings {
		if !d.used[key] {
			t.Errorf("the meaning of %q is in no table", key)
		}
	}
	return strings.TrimRight(d.String(), "\n") + "\n"
}

// A listedTool is a tool as tools/list describes it in the newest revision.
type listedTool struct {
	Name         string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
}

func (d *document) family(t *testing.T, f app.Family, table *mcp.Table, listed map[string]listedTool) {
	t.Helper()
	d.line("## %s\n\n%s\n", f.Name, command.Sentence(f.About))
	for i := range table.Tools {
		d.tool(t, &table.Tools[i], listed[table.Tools[i].Name])
	}
	if d.state != nil {
		d.line("### The state of a process\n")
		d.table([]string{"member", "type", "", "meaning"}, d.state)
	}
	d.resources(t, f.Name, table.Resources)
	d.prompts(f.Name, table.Prompts)
}

func (d *document) tool(t *testing.T, tool *mcp.Tool, listed listedTool) {
	t.Helper()
	d.line("### %s\n", tool.Name)
	if tool.Title != "" {
		d.line("**%s.** %s.", cell(tool.Title), cell(strings.TrimSuffix(tool.Doc, ".")))
	} else {
		d.line("%s.", cell(strings.TrimSuffix(tool.Doc, ".")))
	}
	d.line("%s\n", strings.Join(facts(tool), " "))
	all, err := tool.Arguments()
	if err != nil {
		t.Fatal(err)
	}
	d.table([]string{"argument", "type", "", "default", "meaning"}, d.arguments(t, tool.Name, all, listed.InputSchema))
	if listed.OutputSchema == nil {
		d.line("The answer is text.\n")
		return
	}
	d.line("The answer is text and, as structured content:\n")
	d.table([]string{"member", "type", "", "meaning"}, d.members(t, tool.Name, listed.OutputSchema))
}

// facts are the sentences about who may call a tool and what it does.
func facts(tool *mcp.Tool) []string {
	var all []string
	if tool.Scope != "" {
		all = append(all, fmt.Sprintf("It needs the scope `%s`.", tool.Scope))
	}
	switch {
	case tool.Hints&mcp.ReadOnly != 0:
		all = append(all, "It changes nothing.")
	case tool.Hints&mcp.Destructive != 0:
		all = append(all, "It may change or remove what is there.")
	default:
		all = append(all, "It only adds to what is there.")
	}
	if tool.Hints&mcp.Idempotent != 0 {
		all = append(all, "Calling it again changes nothing more.")
	}
	if tool.Hints&mcp.OpenWorld != 0 {
		all = append(all, "It reaches beyond the program's own data.")
	}
	if tool.Toolset == "consumers" {
		all = append(all, "Only servers with `--consumers` have it.")
	}
	if tool.Interrupts {
		all = append(all, "It does not wait for calls before it.")
	}
	return all
}

// A docSchema is as much of a JSON Schema as the tables make.
type docSchema struct {
	Type        any             `json:"type"`
	Format      string          `json:"format"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Enum        []any           `json:"enum"`
	Minimum     *json.Number    `json:"minimum"`
	Maximum     *json.Number    `json:"maximum"`
	MinLength   *json.Number    `json:"minLength"`
	MaxLength   *json.Number    `json:"maxLength"`
	MinItems    *json.Number    `json:"minItems"`
	MaxItems    *json.Number    `json:"maxItems"`
	Properties  surface.Members `json:"properties"`
	Required    []string        `json:"required"`
	Items       json.RawMessage `json:"items"`
	Values      json.RawMessage `json:"additionalProperties"`
}

func readSchema(t *testing.T, raw json.RawMessage) (s docSchema) {
	t.Helper()
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%v in the schema %s", err, raw)
	}
	return s
}

// arguments are the rows of all arguments of a tool, those that tools/list leaves out marked.
func (d *document) arguments(t *testing.T, tool string, all, listed json.RawMessage) [][]string {
	t.Helper()
	shown := map[string]bool{}
	for _, p := range flatten(t, "", listed) {
		shown[p.path] = true
	}
	rows := d.members(t, tool, all)
	for i, p := range flatten(t, "", all) {
		if !shown[p.path] {
			rows[i][2] = "unlisted"
		}
		rows[i] = slices.Insert(rows[i], 3, code(string(p.schema.Default)))
	}
	return rows
}

// members are the rows of a schema's properties: name, type, need and meaning.
func (d *document) members(t *testing.T, tool string, schema json.RawMessage) [][]string {
	t.Helper()
	var rows [][]string
	for _, p := range flatten(t, "", schema) {
		need := "optional"
		if p.required {
			need = "required"
		}
		text := p.schema.Description
		if text == "" {
			text = d.meaning(t, tool, p.path)
		}
		row := []string{code(p.path), cell(typeOf(t, &p.schema)), need, cell(text)}
		before, rest, inState := strings.Cut(p.path, "state.")
		switch {
		case !inState:
			rows = append(rows, row)
		case before == "":
			d.addState(t, tool, append([]string{code(rest)}, row[1:]...))
		}
	}
	return rows
}

// addState adds a row to the table of the state of a process, which is the same in all answers.
func (d *document) addState(t *testing.T, tool string, row []string) {
	t.Helper()
	for _, other := range d.state {
		if other[0] == row[0] {
			if !slices.Equal(other, row) {
				t.Errorf("%s: the state has %q, that of others %q", tool, row, other)
			}
			return
		}
	}
	d.state = append(d.state, row)
}

// A docProperty is a property, however deep, by its path.
type docProperty struct {
	path     string
	required bool
	schema   docSchema
}

// flatten finds the properties of an object, and those of objects in it after
// each.
func flatten(t *testing.T, path string, raw json.RawMessage) []docProperty {
	t.Helper()
	s := readSchema(t, raw)
	var all []docProperty
	for _, m := range s.Properties {
		p := docProperty{path + m.Name, slices.Contains(s.Required, m.Name), readSchema(t, m.Value)}
		all = append(all, p)
		all = append(all, inside(t, p.path, m.Value)...)
	}
	return all
}

// inside are the properties of what a property holds.
func inside(t *testing.T, path string, raw json.RawMessage) []docProperty {
	t.Helper()
	s := readSchema(t, raw)
	switch {
	case s.Items != nil:
		return inside(t, path+"[]", s.Items)
	case strings.HasPrefix(string(s.Values), "{"):
		return inside(t, path+".*", s.Values)
	}
	return flatten(t, path+".", raw)
}

// typeOf is a schema's type in words.
func typeOf(t *testing.T, s *docSchema) string {
	t.Helper()
	var words string
	switch kind := s.Type.(type) {
	case nil:
		words = "any"
	case string:
		words = kind
	default:
		words = strings.Trim(fmt.Sprint(kind), "[]")
	}
	switch {
	case s.Items != nil:
		item := readSchema(t, s.Items)
		words = "array of " + typeOf(t, &item)
	case strings.HasPrefix(string(s.Values), "{"):
		value := readSchema(t, s.Values)
		words = "object of " + typeOf(t, &value)
	case s.Format != "":
		words += ", " + s.Format
	}
	for i, value := range s.Enum {
		words += []string{": ", " or "}[min(i, 1)] + fmt.Sprint(value)
	}
	return words + bounds(s.Minimum, s.Maximum, "") +
		bounds(s.MinLength, s.MaxLength, " characters") + bounds(s.MinItems, s.MaxItems, " items")
}

// bounds says what bounds a value, "" when nothing does.
func bounds(least, most *json.Number, unit string) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf(", %s to %s%s", *least, *most, unit)
	case least != nil:
		return fmt.Sprintf(", %s%s or more", *least, unit)
	case most != nil:
		return fmt.Sprintf(", %s%s at most", *most, unit)
	}
	return ""
}

func (d *document) resources(t *testing.T, family string, sources []mcp.ResourceSource) {
	var rows [][]string
	for _, s := range sources {
		for _, r := range s.Templates {
			text := r.Description
			if text == "" {
				text = d.meaning(t, "resources", r.URITemplate)
			}
			rows = append(rows, []string{code(r.URITemplate), code(string(s.Scope)), code(r.MIMEType), cell(text)})
		}
	}
	if len(rows) > 0 {
		d.line("### Resources of %s\n", family)
	}
	d.table([]string{"URI", "scope", "type", "meaning"}, rows)
}

func (d *document) prompts(family string, prompts []mcp.Prompt) {
	var rows [][]string
	for _, p := range prompts {
		var args []string
		for _, a := range p.Args {
			args = append(args, code(a.Name))
		}
		rows = append(rows, []string{code(p.Name), code(string(p.Scope)), strings.Join(args, ", "), cell(p.Doc)})
	}
	if len(rows) > 0 {
		d.line("### Prompts of %s\n", family)
	}
	d.table([]string{"prompt", "scope", "arguments", "meaning"}, rows)
}

// A schema is told in words.
func TestTypeOf(t *testing.T) {
	for schema, want := range map[string]string{
		`{}`:                 "any",
		`{"type":"boolean"}`: "boolean",
		`{"type":"integer","minimum":1,"maximum":25}`:                                   "integer, 1 to 25",
		`{"type":"number","minimum":0}`:                                                 "number, 0 or more",
		`{"type":"string","maxLength":10}`:                                              "string, 10 characters at most",
		`{"type":"string","enum":["a","b","c"]}`:                                        "string: a or b or c",
		`{"type":"string","format":"date-time"}`:                                        "string, date-time",
		`{"type":"array","items":{"type":"string"},"minItems":1}`:                       "array of string, 1 items or more",
		`{"type":"object","additionalProperties":{"type":"array","items":{}}}`:          "object of array of any",
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:       "object",
		`{"type":"object","properties":{},"additionalProperties":false}`:                "object",
		`{"type":"array","items":{"type":"object","properties":{"a":{"type":"null"}}}}`: "array of object",
	} {
		s := readSchema(t, json.RawMessage(schema))
		if got := typeOf(t, &s); got != want {
			t.Errorf("%s: got %q, want %q", schema, got, want)
		}
	}
}

// Properties are found however deep they are.
func TestFlatten(t *testing.T) {
	schema := `{"properties":{"a":{"type":"array","items":{"properties":{"b":{"type":"object","properties":{"c":{}},` +
		`"required":["c"]}}}},"d":{"additionalProperties":{"properties":{"e":{}}}}}}`
	var got []string
	for _, p := range flatten(t, "", json.RawMessage(schema)) {
		got = append(got, fmt.Sprint(p.path, " ", p.required))
	}
	want := []string{"a false", "a[].b false", "a[].b.c true", "d false", "d.*.e false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
