package streamable_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Operators see each session with its owner until it ends.
func TestSessionInfos(t *testing.T) {
	s := serve(t)
	if got := s.endpoint.SessionInfos(); len(got) != 0 {
		t.Fatalf("sessions before the first: %+v", got)
	}
	before := time.Now()
	header := s.session(t, "2025-06-18")
	_, id, _ := strings.Cut(header, ": ")
	got := s.endpoint.SessionInfos()
	if len(got) != 1 || got[0].ID != id || got[0].Revision != "2025-06-18" || got[0].Principal == "" || got[0].Used.Before(before) {
		t.Errorf("got %+v, want the session %s", got, id)
	}
	if resp, text := s.ask(t, http.MethodDelete, "", header, "Mcp-Protocol-Version: 2025-06-18"); resp.StatusCode >= 300 {
		t.Fatalf("ending it: %s %s", resp.Status, text)
	}
	if got := s.endpoint.SessionInfos(); len(got) != 0 {
		t.Errorf("sessions after the end: %+v", got)
	}
}
