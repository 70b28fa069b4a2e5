package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
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

// proposingServer makes a proposal of each request.
type proposingServer struct {
	rulebook
	proposals int
}

func (s *proposingServer) Apply(context.Context, rulesets.ChangeSet, func(done, total int)) (rulesets.Applied, error) {
	s.proposals++
	return rulesets.Applied{Proposal: s.proposals}, &rulesclient.ProposedError{Number: s.proposals}
}

// With a key that may only propose, a batch becomes one proposal, and every file says so.
func TestImportMakesOneProposal(t *testing.T) {
	server := &proposingServer{}
	var files []*imported
	for i := range 3 {
		files = append(files, &imported{outcome: "created", change: &rulesets.Change{Op: "create", Name: fmt.Sprint("r", i)}})
	}
	applyImports(t.Context(), server, files)
	if server.proposals != 1 {
		t.Errorf("%d proposals, want 1", server.proposals)
	}
	for _, f := range files {
		if want := (&rulesclient.ProposedError{Number: 1}).Error(); f.outcome != "failed" || f.to != want {
			t.Errorf("%s: %s, want %s", f.outcome, f.to, want)
		}
	}
}
