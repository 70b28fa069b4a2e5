package streamable_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// Forget ends the sessions and the state of one principal, and no others.
func TestForget(t *testing.T) {
	var mu sync.Mutex
	var ended []string
	states := &mcp.Table{Family: "test", EndSession: func(key string) {
		mu.Lock()
		defer mu.Unlock()
		ended = append(ended, key)
	}}
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, states)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(c *streamable.Config) { c.Server = server })
	anna, eve := "Authorization: anna", "Authorization: eve"
	s.ask(t, "POST", ping, anna)
	hers, also, other := s.session(t, "2025-06-18", anna), s.session(t, "2025-11-25", anna), s.session(t, "2025-06-18", eve)
	stream := s.open(t, "GET", "", hers, anna, "Accept: text/event-stream")
	s.ask(t, "POST", ping, "Authorization: otto")

	if got := s.endpoint.Principals(); len(got) != 3 || !slices.Contains(got, "anna") || !slices.Contains(got, "eve") || !slices.Contains(got, "otto") {
		t.Errorf("principals %q, want anna, eve and otto", got)
	}
	s.endpoint.Forget("anna")
	if _, err := io.ReadAll(stream.Body); err != nil {
		t.Errorf("the stream ends with %v", err)
	}
	for _, session := range []string{hers, also} {
		if resp, _ := s.ask(t, "POST", ping, session, anna); resp.StatusCode != http.StatusNotFound {
			t.Errorf("a session of anna: %s, want 404", resp.Status)
		}
	}
	if resp, _ := s.ask(t, "POST", ping, other, eve); resp.StatusCode != http.StatusOK {
		t.Errorf("the session of eve: %s, want 200", resp.Status)
	}
	mu.Lock()
	defer mu.Unlock()
	id := func(session string) string { return "session:" + strings.TrimPrefix(session, "Mcp-Session-Id: ") }
	for _, want := range []string{id(hers), id(also), "principal:anna"} {
		if !slices.Contains(ended, want) {
			t.Errorf("ended are %q, want %s among them", ended, want)
		}
	}
	if slices.Contains(ended, id(other)) {
		t.Errorf("ended are %q, with that of eve", ended)
	}
}
