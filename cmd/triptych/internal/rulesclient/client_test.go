package rulesclient_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/httpclient"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A server serves rulesets in memory and counts the requests for one of them.
type server struct {
	url   string
	now   time.Time
	reads atomic.Int64
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{now: time.Now().Add(-time.Hour)}
	table, err := new(rulesets.Config).Open(t.Context(), host.Env{
		Store: "memory:", Now: func() time.Time { return s.now }, Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	served, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table)
	if err != nil {
		t.Fatal(err)
	}
	handler := streamable.New(streamable.Config{Server: served, Auth: streamable.Key("secret"), Loopback: true})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Name") == "get_ruleset" {
			s.reads.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	s.url = web.URL
	return s
}

func (s *server) client(key string) *rulesclient.Client {
	return rulesclient.New(httpclient.Endpoint{URL: s.url, Key: key, HTTP: http.DefaultClient}, "1")
}

var draft = ruleset.Draft{
	Name: "go_style", Description: "How to write Go", Tags: []string{"go"}, Markdown: "# Go\n", Extra: "globs: '*.go'\n",
	By: ruleset.By{Message: "first"},
}

func TestClientChangesAndReadsRulesets(t *testing.T) {
	c, ctx := serve(t).client("secret"), t.Context()
	if rev, err := c.Create(ctx, draft); rev != 1 || err != nil {
		t.Fatalf("Create is revision %d, %v; want 1", rev, err)
	}
	r, err := c.Get(ctx, draft.Name)
	if err != nil || r.Rev != 1 || r.Markdown != draft.Markdown || r.Extra != draft.Extra || r.Description != draft.Description {
		t.Errorf("Get is %+v, %v; want the draft at revision 1", r, err)
	}
	text := "# Go\n\nUse gofmt.\n"
	if rev, err := c.Update(ctx, draft.Name, ruleset.Patch{Markdown: &text, IfRev: 1, By: ruleset.By{Message: "gofmt"}}); rev != 2 || err != nil {
		t.Errorf("Update is revision %d, %v; want 2", rev, err)
	}
	if old, err := c.GetRevision(ctx, draft.Name, 1); err != nil || old.Markdown != draft.Markdown {
		t.Errorf("revision 1 is %q, %v", old.Markdown, err)
	}
	metas, err := c.Search(ctx, "go_*")
	if err != nil || len(metas) != 1 || metas[0].Name != draft.Name {
		t.Errorf("Search is %v, %v", metas, err)
	}
	both, err := c.Compare(ctx, draft.Name, 1, 2)
	if err != nil || both.Same || !strings.Contains(both.Unified, "\n+Use gofmt.\n") || !strings.Contains(both.Words, "{+") {
		t.Errorf("Compare is %+v, %v", both, err)
	}
	move, err := c.MoveLabel(ctx, draft.Name, ruleset.LabelMove{Label: "production", To: 1})
	if want := (ruleset.LabelMove{Label: "production", To: 1}); err != nil || move != want {
		t.Errorf("MoveLabel is %+v, %v; want %+v", move, err, want)
	}
	if moves, err := c.LabelMoves(ctx, draft.Name); err != nil || len(moves) != 1 || moves[0].To != 1 || moves[0].At.IsZero() {
		t.Errorf("LabelMoves is %+v, %v", moves, err)
	}
	if labelled, err := c.GetLabelled(ctx, draft.Name, "production"); err != nil || labelled.Rev != 1 {
		t.Errorf("production is revision %d, %v; want 1", labelled.Rev, err)
	}
	if rev, err := c.Restore(ctx, draft.Name, 1, ruleset.By{}); rev != 3 || err != nil {
		t.Errorf("Restore is revision %d, %v; want 3", rev, err)
	}
	history, err := c.History(ctx, draft.Name)
	var messages []string
	for _, r := range history {
		messages = append(messages, r.By.Message)
	}
	if diff := cmp.Diff([]string{"", "gofmt", "first"}, messages); diff != "" || err != nil {
		t.Errorf("History: %v (-want +got)\n%s", err, diff)
	}
	if err := c.Delete(ctx, draft.Name, ruleset.Removal{IfRev: 3}); err != nil {
		t.Error(err)
	}
}

func TestClientReturnsTheErrorsOfStores(t *testing.T) {
	s, ctx := serve(t), t.Context()
	c := s.client("secret")
	if _, err := c.Get(ctx, draft.Name); !isA[*ruleset.NotFoundError](err) {
		t.Errorf("Get of a missing ruleset: %v", err)
	}
	if _, err := c.Create(ctx, draft); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create(ctx, draft); !isA[*ruleset.ExistsError](err) {
		t.Errorf("Create of an existing ruleset: %v", err)
	}
	text := "# Other\n"
	if _, err := c.Update(ctx, draft.Name, ruleset.Patch{Markdown: &text}); err != nil {
		t.Fatal(err)
	}
	mine := "# Mine\n"
	_, err := c.Update(ctx, draft.Name, ruleset.Patch{Markdown: &mine, Base: &ruleset.Ruleset{Rev: 1}})
	if conflict, ok := errors.AsType[*ruleset.ConflictError](err); !ok || conflict.Current.Markdown != text {
		t.Errorf("Update of an old revision: %v, want a conflict with %q", err, text)
	}
	if err := c.Delete(ctx, draft.Name, ruleset.Removal{IfRev: 1}); !isA[*ruleset.ConflictError](err) {
		t.Errorf("Delete of an old revision: %v", err)
	}
	if _, err := c.Update(ctx, draft.Name, ruleset.Patch{}); !isA[*rulesclient.ToolError](err) {
		t.Errorf("Update without a change: %v", err)
	}
	if _, err := s.client("wrong").List(ctx); err == nil || err.Error() != "Authentication failed: send Authorization: Bearer KEY" {
		t.Errorf("List with a wrong key: %v", err)
	}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// A ruleset is read again only if it has changed since it was read, or if times
// cannot tell.
func TestGetAllReadsWhatHasChanged(t *testing.T) {
	s, ctx, cache := serve(t), t.Context(), rulesclient.Cache(t.TempDir())
	c := s.client("secret")
	for _, name := range []ruleset.Name{"a", "b", "c"} {
		d := draft
		d.Name = name
		if _, err := c.Create(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	expectReads := func(why string, want int64, key string) {
		t.Helper()
		s.reads.Store(0)
		c := s.client(key)
		metas, err := c.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.GetAll(ctx, metas, cache)
		if err != nil || len(all) != len(metas) {
			t.Fatalf("%s: %d rulesets, %v; want %d", why, len(all), err, len(metas))
		}
		for i, r := range all {
			if fresh, err := c.Get(ctx, metas[i].Name); err != nil || !cmp.Equal(fresh, r) {
				t.Errorf("%s: %+v, want %+v (%v)", why, r, fresh, err)
			}
		}
		if got := s.reads.Load() - int64(len(all)); got != want {
			t.Errorf("%s: %d rulesets were read, want %d", why, got, want)
		}
	}
	expectReads("first", 3, "secret")
	expectReads("nothing has changed", 0, "secret")
	text := "# New\n"
	s.now = s.now.Add(time.Minute)
	if _, err := c.Update(ctx, "b", ruleset.Patch{Markdown: &text}); err != nil {
		t.Fatal(err)
	}
	expectReads("one has changed", 1, "secret")
	s.now = time.Now().Add(time.Minute)
	if _, err := c.Update(ctx, "c", ruleset.Patch{Markdown: &text}); err != nil {
		t.Fatal(err)
	}
	expectReads("one has changed, and may have again", 1, "secret")
	expectReads("and may have again", 1, "secret")
	if _, ok := c.Cached(cache, "b"); !ok {
		t.Error("b is not in the cache")
	}
	if _, ok := s.client("other").Cached(cache, "b"); ok {
		t.Error("another key sees b in the cache")
	}
}
