package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets"
)

// smallServer takes requests of so many changes.
type smallServer struct {
	rulebook
	most, requests int
	stored         map[string]bool
}

func (s *smallServer) Apply(_ context.Context, set rulesets.ChangeSet, _ func(done, total int)) (rulesets.Applied, error) {
	if s.requests++; len(set.Changes) > s.most {
		return rulesets.Applied{}, errors.New("413 Request Entity Too Large")
	}
	for _, c := range set.Changes {
		s.stored[c.Name] = true
	}
	return rulesets.Applied{}, nil
}

// Files that a server does not take together are sent one by one.
func TestImportInSmallRequests(t *testing.T) {
	server := &smallServer{most: 1, stored: map[string]bool{}}
	var files []*imported
	for i := range 5 {
		files = append(files, &imported{outcome: "created", change: &rulesets.Change{Op: "create", Name: fmt.Sprint("r", i)}})
	}
	applyImports(t.Context(), server, files)
	for _, f := range files {
		if f.outcome != "created" {
			t.Errorf("%s: %s", f.outcome, f.to)
		}
	}
	if len(server.stored) != len(files) || server.requests != 2+len(files) {
		t.Errorf("%d of %d files are stored by %d requests", len(server.stored), len(files), server.requests)
	}
}
