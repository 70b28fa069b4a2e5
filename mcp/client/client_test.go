package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp/client"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A script answers requests in order and notes what it got.
type script struct {
	answers []string
	got     []string
}

func (s *script) Call(_ context.Context, method string, params any) (json.RawMessage, error) {
	text, err := json.Marshal(params)
	s.got = append(s.got, method+" "+string(text))
	if err != nil || len(s.answers) == 0 {
		return nil, errors.Join(err, errors.New("no answer is left"))
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return json.RawMessage(answer), nil
}

func (s *script) Notify(_ context.Context, method string, _ any) error {
	s.got = append(s.got, method)
	return nil
}

// A revision begins with a handshake, or each request claims it.
func TestInitialize(t *testing.T) {
	modern := `"io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"n","version":"v"},"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	for revision, want := range map[string][]string{
		"2025-06-18": {
			`initialize {"capabilities":{"roots":{}},"clientInfo":{"name":"n","version":"v"},"protocolVersion":"2025-06-18"}`,
			`notifications/initialized`, `ping {"_meta":{"progressToken":1}}`,
		},
		"2026-07-28": {`server/discover {"_meta":{` + modern + `}}`, `ping {"_meta":{` + modern + `,"progressToken":1}}`},
	} {
		s := &script{answers: []string{`{}`, `{}`}}
		c := client.New(s, client.Config{Name: "n", Version: "v", Capabilities: json.RawMessage(`{"roots":{}}`)})
		_, err := c.Initialize(t.Context(), revision)
		_, asked := c.Ask(t.Context(), "ping", map[string]any{"_meta": map[string]int{"progressToken": 1}})
		if diff := cmp.Diff(want, s.got); diff != "" || err != nil || asked != nil {
			t.Errorf("%s: %v, %v, -want +got:\n%s", revision, err, asked, diff)
		}
	}
	all := host.Revisions()
	s := &script{answers: []string{`{}`}}
	if _, err := client.New(s, client.Config{}).Initialize(t.Context(), ""); err != nil || !strings.Contains(s.got[0], all[len(all)-1].Name) {
		t.Errorf("the newest: %v, %q", err, s.got)
	}
}

// A list is read to its last page.
func TestList(t *testing.T) {
	s := &script{answers: []string{`{"resourceTemplates":[{"n":1},{"n":2}],"nextCursor":"c"}`, `{"resourceTemplates":[{"n":3}]}`}}
	items, err := client.New(s, client.Config{}).List(t.Context(), "resources/templates")
	want := []string{"resources/templates/list {}", `resources/templates/list {"cursor":"c"}`}
	if diff := cmp.Diff(want, s.got); diff != "" || err != nil || fmt.Sprintf("%s", items) != `[{"n":1} {"n":2} {"n":3}]` {
		t.Errorf("%s, %v, -want +got:\n%s", items, err, diff)
	}
}

// Answers of another shape are errors that name the request.
func TestWrongShapes(t *testing.T) {
	for _, answer := range []string{`[]`, `{"tools":{}}`, `{}`} {
		if _, err := client.New(&script{answers: []string{answer}}, client.Config{}).List(t.Context(), "tools"); err == nil || !strings.Contains(err.Error(), "tools/list") {
			t.Errorf("%s: %v", answer, err)
		}
	}
	if _, err := client.New(&script{answers: []string{`{"content":1}`}}, client.Config{}).CallTool(t.Context(), "greet", nil); err == nil || !strings.Contains(err.Error(), "greet") {
		t.Error(err)
	}
}

// The texts of a result are joined; other content is not text.
func TestText(t *testing.T) {
	s := &script{answers: []string{`{"content":[{"type":"text","text":"a"},{"type":"image","text":"x"},{"type":"text","text":"b"}],"structuredContent":{"n":1},"isError":true}`}}
	r, err := client.New(s, client.Config{}).CallTool(t.Context(), "greet", map[string]int{"n": 1})
	if err != nil || r.Text() != "a\nb" || !r.IsError || string(r.Structured) != `{"n":1}` || s.got[0] != `tools/call {"arguments":{"n":1},"name":"greet"}` {
		t.Errorf("%+v, %v, %q", r, err, s.got)
	}
}
