package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

type place struct {
	Row int `json:"row"`
}

type everything struct {
	Name   string            `json:"name" doc:"A name" min:"2" max:"5"`
	Pid    int               `json:"pid" min:"1"`
	Level  string            `json:"level,omitzero" enum:"low|high" default:"low"`
	Ratio  *float64          `json:"ratio" max:"1"`
	Tags   *[]string         `json:"tags" max:"3"`
	Deep   bool              `json:"deep,omitempty"`
	Where  *place            `json:"where"`
	Labels map[string]string `json:"labels,omitzero"`
	Small  int8              `json:"small,omitzero"`
}

func of(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.For[everything]()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJSONFollowsTheFields(t *testing.T) {
	const want = `{"type":"object","properties":{` +
		`"name":{"type":"string","minLength":2,"maxLength":5,"description":"A name"},` +
		`"pid":{"type":"integer","minimum":1},` +
		`"level":{"type":"string","enum":["low","high"],"default":"low"},` +
		`"ratio":{"type":"number","maximum":1},` +
		`"tags":{"type":"array","items":{"type":"string"},"maxItems":3},` +
		`"deep":{"type":"boolean"},` +
		`"where":{"type":"object","properties":{"row":{"type":"integer"}},"required":["row"]},` +
		`"labels":{"type":"object","additionalProperties":{"type":"string"}},` +
		`"small":{"type":"integer"}},"required":["name","pid"]}`
	if diff := cmp.Diff(want, string(of(t).JSON())); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	empty, err := schema.For[struct{}]()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(empty.JSON()); got != `{"type":"object","properties":{},"additionalProperties":false}` {
		t.Errorf("no arguments: %s", got)
	}
}

func TestDecode(t *testing.T) {
	ratio, tags := 0.5, []string{}
	for raw, want := range map[string]everything{
		`{"name":"ab","pid":1}`: {Name: "ab", Pid: 1, Level: "low"},
		`{"pid":1e2,"name":"é\u00e9","ratio":0.5,"tags":[],"deep":true,"where":{"row":3},"labels":{"a":"b"},"level":"high"}`: {
			Name: "éé", Pid: 100, Level: "high", Ratio: &ratio, Tags: &tags, Deep: true,
			Where: &place{3}, Labels: map[string]string{"a": "b"},
		},
		`{"name":"abc","pid":2.0,"tags":null,"ratio":null}`: {Name: "abc", Pid: 2, Level: "low"},
	} {
		var got everything
		if err := of(t).Decode([]byte(raw), &got); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

func TestEveryViolationIsListed(t *testing.T) {
	for raw, want := range map[string][]string{
		``:                                 {`missing required argument "name"`, `missing required argument "pid"`},
		`{"name":1,"pid":"x"}`:             {"name must be a string", "pid must be a positive integer"},
		`{"name":"ab","pid":0}`:            {"pid must be a positive integer"},
		`{"name":"ab","pid":1.5}`:          {"pid must be a positive integer"},
		`{"name":"a","pid":1}`:             {"name must have at least 2 characters"},
		`{"name":"abcdef","pid":1}`:        {"name must have at most 5 characters"},
		`{"name":null,"pid":1}`:            {"name must be a string"},
		`{"nane":"ab","pid":1}`:            {`missing required argument "name"`, `unknown argument "nane"; did you mean "name"?`},
		`{"name":"ab","pid":1,"qwerty":1}`: {`unknown argument "qwerty"`},
		`{"name":"ab","pid":1,"pid":2}`:    {`argument "pid" is there twice`},
		`{"name":"ab","pid":1,"level":"x","ratio":2,"tags":["a",2],"small":300}`: {
			"level must be one of low, high", "ratio must be at most 1", "tags[1] must be a string", "small must be an integer",
		},
		`{"name":"ab","pid":1,"where":{},"deep":"yes","labels":[]}`: {
			"deep must be true or false", `missing required argument "where.row"`, "labels must be an object",
		},
		`{"name":"ab","pid":99999999999999999999}`: {"pid must be a positive integer"},
	} {
		var got everything
		err := of(t).Decode([]byte(raw), &got)
		found, ok := errors.AsType[*schema.Error](err)
		if !ok {
			t.Errorf("%s: %v, want violations", raw, err)
			continue
		}
		var messages []string
		for _, v := range found.Violations {
			messages = append(messages, v.Message)
		}
		if diff := cmp.Diff(want, messages); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

// Limits are written with all their digits.
func TestLargeLimit(t *testing.T) {
	type counted struct {
		Count int `json:"count" max:"1000000000"`
	}
	s, err := schema.For[counted]()
	if err != nil {
		t.Fatal(err)
	}
	err = s.Decode([]byte(`{"count":1000000001}`), new(counted))
	if want := "count must be at most 1000000000"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Bounds can be enforced without being listed.
func TestBoundsEnforcedOnly(t *testing.T) {
	type counted struct {
		Count int    `json:"count" min:"2" max:"9" bounds:"enforced"`
		Text  string `json:"text,omitempty" max:"3"`
	}
	s, err := schema.For[counted]()
	if err != nil {
		t.Fatal(err)
	}
	const published = `{"type":"object","properties":{"count":{"type":"integer"},"text":{"type":"string","maxLength":3}},"required":["count"]}`
	if got := string(s.JSON()); got != published {
		t.Errorf("published %s, want %s", got, published)
	}
	for text, want := range map[string]string{`{"count":1}`: "count must be at least 2", `{"count":10}`: "count must be at most 9"} {
		if err := s.Decode([]byte(text), new(counted)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

type ruled struct {
	Day int `json:"day"`
}

func (r ruled) Validate() error {
	if r.Day > 25 {
		return errors.New("day must be between 1 and 25")
	}
	return nil
}

func TestRulesAreEnforcedNotPublished(t *testing.T) {
	s, err := schema.For[ruled]()
	if err != nil {
		t.Fatal(err)
	}
	var v ruled
	if err := s.Decode([]byte(`{"day":26}`), &v); err == nil || err.Error() != "day must be between 1 and 25" {
		t.Errorf("got %v", err)
	}
	if strings.Contains(string(s.JSON()), "25") {
		t.Errorf("published: %s", s.JSON())
	}
}

func TestTypesWithoutAForm(t *testing.T) {
	if _, err := schema.For[struct{ C chan int }](); err == nil {
		t.Error("a channel has a schema")
	}
	if _, err := schema.For[int](); err == nil {
		t.Error("an int is a struct")
	}
	if _, err := schema.For[struct {
		N int `default:"x"`
	}](); err == nil {
		t.Error("a default of another type was taken")
	}
}

// FuzzDecode takes an independent validator as the oracle: we accept what the
// published schema accepts, apart from unknown members, which we refuse.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"name":"ab","pid":1}`, `{"name":"ab","pid":1.0,"tags":["a"]}`, `{"name":"a","pid":0}`, `{"where":{"row":1e2}}`,
		`{"name":"éé","pid":3,"ratio":1.5,"labels":{"x":"y"},"deep":false,"level":"low"}`, `{"pid":1.5,"name":[]}`,
	} {
		f.Add([]byte(s))
	}
	s, err := schema.For[everything]()
	if err != nil {
		f.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(s.JSON(), &doc); err != nil {
		f.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mem:everything", doc); err != nil {
		f.Fatal(err)
	}
	oracle, err := compiler.Compile("mem:everything")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) == 0 || raw[0] != '{' || jsonrpc.Valid(raw, 100) != nil {
			return
		}
		var got everything
		ours := s.Decode(raw, &got)
		if known(ours) {
			return
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
		if err != nil || strings.Contains(string(raw), "null") {
			return // null for an optional argument is absence to us
		}
		if theirs := oracle.Validate(value); (ours == nil) != (theirs == nil) {
			t.Errorf("%s: ours %v, theirs %v", raw, ours, theirs)
		}
	})
}

// known reports the refusals that the schema does not ask for: unknown and
// repeated members, and numbers that Go's types do not hold.
func known(err error) bool {
	found, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return false
	}
	for _, v := range found.Violations {
		if v.Kind == schema.Unknown || v.Kind == schema.Rule || v.Kind == schema.Type && (v.Arg == "small" || v.Arg == "pid" || v.Arg == "where" || v.Arg == "ratio") {
			return true
		}
	}
	return false
}

type echoArgs struct {
	Text string `json:"text"`
}

func BenchmarkDecode(b *testing.B) {
	s, err := schema.For[echoArgs]()
	if err != nil {
		b.Fatal(err)
	}
	raw := []byte(`{"text":"01234567890123456789012345678901"}`)
	b.ReportAllocs()
	for b.Loop() {
		var v echoArgs
		if err := s.Decode(raw, &v); err != nil {
			b.Fatal(err)
		}
	}
}

// many returns a JSON object of n members whose names are unknown.
func many(n int, name func(i int) string) []byte {
	dst := []byte(`{"name":"ab","pid":1`)
	for i := range n {
		dst = append(jsonrpc.AppendString(append(dst, ','), name(i)), `:1`...)
	}
	return append(dst, '}')
}

// TestErrorsStaySmall sends more mistakes than an error names.
func TestErrorsStaySmall(t *testing.T) {
	s := of(t)
	tests := []struct {
		name string
		args []byte
		end  string
	}{
		{"unknown", many(1_000_000, func(i int) string { return fmt.Sprintf("x%d", i) }), "; and 999980 more"},
		{"twice", many(1_000_000, func(int) string { return "pid" }), "; and 999980 more"},
		{"wrong types", []byte(`{"name":"ab","pid":1,"labels":{"a":0` + strings.Repeat(`,"b":0`, 49) + `}}`), "; and 30 more"},
		{"items", []byte(`{"name":"ab","pid":1,"tags":["a"` + strings.Repeat(`,"b"`, 100_000) + `]}`), "tags must have at most 100000 items"},
		{"members", []byte(`{"name":"ab","pid":1,"labels":{"a":"a"` + strings.Repeat(`,"b":"b"`, 100_000) + `}}`), "labels must have at most 100000 members"},
		{"long name", many(1, func(int) string { return strings.Repeat("n", 1<<20) }), `n…"`},
		{"long key", []byte(`{"name":"ab","pid":1,"labels":{"` + strings.Repeat("k", 1<<20) + `":1}}`), `…"] must be a string`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := s.Decode(tt.args, new(everything))
			if err == nil || len(err.Error()) > 4096 || !strings.HasSuffix(err.Error(), tt.end) {
				t.Errorf("got %.5000v, want at most 4096 bytes that end in %q", err, tt.end)
			}
		})
	}
}

// BenchmarkUnknownArguments decodes arguments of which none is known.
func BenchmarkUnknownArguments(b *testing.B) {
	s, err := schema.For[everything]()
	if err != nil {
		b.Fatal(err)
	}
	args := many(1_000_000, func(i int) string { return fmt.Sprintf("x%d", i) })
	for b.Loop() {
		if s.Decode(args, new(everything)) == nil {
			b.Fatal("accepted")
		}
	}
}
