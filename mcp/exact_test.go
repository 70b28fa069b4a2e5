package mcp_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

type wide struct {
	Size  uint64 `json:"size"`
	Delta int64  `json:"delta"`
	ID    string `json:"id"`
}

func (w wide) Text() string {
	raw, _ := json.Marshal(w)
	return string(raw)
}

// Structured content has no integer that a host in JavaScript would round; the text
// and strings have all digits.
func TestStructuredIntegers(t *testing.T) {
	table := &mcp.Table{Family: "wide", Tools: []mcp.Tool{{Name: "wide", Doc: "Answers", Call: mcp.Typed(
		func(context.Context, *mcp.Call, struct{}) (wide, error) {
			return wide{math.MaxUint64, math.MinInt64, "18446744073709551615"}, nil
		})}}}
	c := mcptest.Connect(t, table)
	c.Initialize(mcptest.Newest())
	got := c.Call("wide", nil)
	const want = `{"size":9007199254740991,"delta":-9007199254740991,"id":"18446744073709551615"}`
	if string(got.Structured) != want {
		t.Errorf("structured content is %s, want %s", got.Structured, want)
	}
	for _, digits := range []string{"18446744073709551615", "-9223372036854775808"} {
		if !strings.Contains(got.Text, digits) {
			t.Errorf("the text %s lacks %s", got.Text, digits)
		}
	}
}

// A struct without a text form is answered as JSON, also in text (server/tools, "Structured
// Content"), by a value or a pointer, with all digits.
func TestAnswersWithoutText(t *testing.T) {
	type plain struct {
		Size uint64 `json:"size"`
		Mark string `json:"mark"`
	}
	table := &mcp.Table{Family: "plain", Tools: []mcp.Tool{
		{Name: "value", Doc: "Answers", Call: mcp.Typed(func(context.Context, *mcp.Call, struct{}) (plain, error) {
			return plain{math.MaxUint64, "<&>"}, nil
		})},
		{Name: "pointer", Doc: "Answers", Call: mcp.Typed(func(context.Context, *mcp.Call, struct{}) (*plain, error) {
			return &plain{math.MaxUint64, "<&>"}, nil
		})},
	}}
	c := mcptest.Connect(t, table)
	c.Initialize(mcptest.Newest())
	for _, tool := range []string{"value", "pointer"} {
		got := c.Call(tool, nil)
		if want := `{"size":18446744073709551615,"mark":"<&>"}`; got.Text != want {
			t.Errorf("%s: the text is %s, want %s", tool, got.Text, want)
		}
		if want := `{"size":9007199254740991,"mark":"<&>"}`; string(got.Structured) != want {
			t.Errorf("%s: structured content is %s, want %s", tool, got.Structured, want)
		}
	}
}
