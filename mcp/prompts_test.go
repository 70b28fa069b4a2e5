package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// library is a table with one row and a source of n prompts, named p0 and so on; the
// row takes the name p1.
func library(n int) *mcp.Table {
	make := func(name string) mcp.Prompt {
		return mcp.Prompt{
			Name: name, Doc: "made by a user", Args: []mcp.PromptArgument{{Name: "file", Required: true}},
			Get: func(_ context.Context, _ *mcp.Call, args map[string]string) (*mcp.PromptResult, error) {
				return &mcp.PromptResult{Messages: []mcp.PromptMessage{{Role: "user", Content: mcp.Text(name + " " + args["file"])}}}, nil
			},
			Complete: func(_ context.Context, _ *mcp.Call, argument, value string, _ map[string]string) ([]string, int, error) {
				return []string{argument + value}, 1, nil
			},
		}
	}
	row := make("p1")
	row.Doc, row.Extension = "a row", true
	return &mcp.Table{
		Family: "library", Documented: new(mcp.Documented), Changing: mcp.CapabilityPrompts, Prompts: []mcp.Prompt{row},
		PromptSource: &mcp.PromptSource{
			Scope: "library:read", Extension: true,
			List: func(_ context.Context, _ *mcp.Call, after string, limit int) (items []mcp.Prompt, next string, err error) {
				from, _ := strconv.Atoi(after)
				for i := from; i < n && len(items) < limit; i++ {
					items = append(items, make(fmt.Sprintf("p%d", i)))
				}
				if from += len(items); from < n {
					next = strconv.Itoa(from)
				}
				return items, next, nil
			},
			Find: func(_ context.Context, _ *mcp.Call, name string) (*mcp.Prompt, error) {
				if i, err := strconv.Atoi(strings.TrimPrefix(name, "p")); err != nil || i >= n {
					return nil, nil
				}
				p := make(name)
				return &p, nil
			},
		},
	}
}

// The prompts of a source are listed on pages after the rows, whose names go before
// theirs, in every revision; clients that name none see neither and may get both.
func TestPromptSource(t *testing.T) {
	for _, rev := range host.Revisions() {
		c := mcptest.Connect(t, library(250))
		want := 0
		if rev.Name != "" {
			c.Initialize(rev.Name)
			want = 250
		}
		list := c.List("prompts")
		if len(list) != want {
			t.Errorf("%q: %d prompts, want %d", rev.Name, len(list), want)
		}
		if want > 0 && !strings.Contains(string(list[0]), "a row") {
			t.Errorf("%q: the first is %s", rev.Name, list[0])
		}
		for name, text := range map[string]string{"p1": "p1 x.go", "p249": "p249 x.go"} {
			got, err := c.Ask("prompts/get", map[string]any{"name": name, "arguments": map[string]string{"file": "x.go"}})
			if err != nil || !strings.Contains(string(got), text) {
				t.Errorf("%q: %s: %s %v", rev.Name, name, got, err)
			}
		}
		got, err := c.Ask("completion/complete", map[string]any{
			"ref": map[string]any{"type": "ref/prompt", "name": "p7"}, "argument": map[string]any{"name": "file", "value": "x"},
		})
		if err != nil || !strings.Contains(string(got), `"filex"`) {
			t.Errorf("%q: completion %s %v", rev.Name, got, err)
		}
	}
}

// Arguments that a prompt asks for must be given, and no others.
func TestPromptArguments(t *testing.T) {
	c := mcptest.Connect(t, library(2))
	for args, want := range map[string]string{
		`{}`:                      `missing required argument "file"`,
		`{"file":1}`:              "must be an object of strings",
		`[]`:                      "must be an object of strings",
		`{"file":"a","fiel":"b"}`: `unknown argument "fiel"`,
	} {
		_, err := c.Ask("prompts/get", map[string]any{"name": "p0", "arguments": json.RawMessage(args)})
		if err == nil || err.Code != jsonrpc.CodeInvalidParams || !strings.Contains(string(err.Data), strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: %v %s", args, err, err.Data)
		}
	}
	if _, err := c.Ask("prompts/get", map[string]any{"name": "p9"}); err == nil || err.Message != "Unknown prompt: p9" {
		t.Errorf("got %v", err)
	}
}

// A key without the scope of a source sees none of its prompts and may get none.
func TestPromptScope(t *testing.T) {
	c := mcptest.Config{Principal: host.Principal{ID: "key", Scopes: []mcp.Scope{"other"}}}.Connect(t, library(3))
	c.Initialize("2025-11-25")
	if list := c.List("prompts"); len(list) != 1 {
		t.Errorf("%d prompts are listed", len(list))
	}
	if _, err := c.Ask("prompts/get", map[string]any{"name": "p2", "arguments": map[string]string{"file": "a"}}); err == nil || err.Code != host.CodePermissionDenied {
		t.Errorf("got %v", err)
	}
}

// Prompts of a source cannot make a page that no client takes.
func TestHugePrompts(t *testing.T) {
	huge := strings.Repeat("\x01", 100_000)
	args := make([]mcp.PromptArgument, 1000)
	for i := range args {
		args[i] = mcp.PromptArgument{Name: huge, Doc: huge}
	}
	pages := 0
	c := mcptest.Connect(t, &mcp.Table{Family: "huge", PromptSource: &mcp.PromptSource{
		List: func(_ context.Context, _ *mcp.Call, _ string, limit int) ([]mcp.Prompt, string, error) {
			items := make([]mcp.Prompt, limit)
			for i := range items {
				items[i] = mcp.Prompt{Name: "p", Doc: huge, Args: args}
			}
			pages++
			return items, "more", nil
		},
	}})
	c.Initialize("2025-11-25")
	page, err := c.Ask("prompts/list", nil)
	if err != nil || len(page) > mcp.MaxAnswer || !strings.Contains(string(page), "nextCursor") {
		t.Errorf("a page of %d bytes, %v", len(page), err)
	}
}
