package rulesets

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A team is one store, and a handler for each of its people.
type team struct {
	*house
	server *mcp.Server
}

func newTeam(t *testing.T, rules LabelRules) *team {
	t.Helper()
	h := open(t)
	tools := newTools(h.store, rules, Scan{mode: "refuse"}, slog.New(slog.DiscardHandler))
	tools.names = func(context.Context, []string) map[string]string { return map[string]string{"ann": "Ann"} }
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, tools.table())
	if err != nil {
		t.Fatal(err)
	}
	return &team{h, server}
}

// as makes calls those of a person.
func (m *team) as(id string, scopes ...mcp.Scope) *team {
	m.handler = m.server.Bind(host.Caller{Principal: host.Principal{ID: id, Scopes: scopes}, Connection: true}, nil)
	return m
}

func (m *team) ann() *team { return m.as("ann", scopeRead, scopePropose) }
func (m *team) bob() *team { return m.as("bob", scopeRead, scopeWrite) }

// markdown returns the text of a ruleset, "" if there is none.
func (m *team) markdown(name ruleset.Name) string {
	m.t.Helper()
	r, err := m.store.Get(m.t.Context(), name)
	if _, none := errors.AsType[*ruleset.NotFoundError](err); err != nil && !none {
		m.t.Fatal(err)
	}
	return r.Markdown
}

// contains calls a tool whose text must have parts.
func (m *team) contains(tool, arguments string, isError bool, parts ...string) {
	m.t.Helper()
	text, failed := m.call(tool, arguments)
	for _, part := range parts {
		if !strings.Contains(text, part) || failed != isError {
			m.t.Errorf("%s %s answers %q, error %v, want %q", tool, arguments, text, failed, part)
		}
	}
}

func TestPropose(t *testing.T) {
	m := newTeam(t, LabelRules{})
	m.bob().contains("create_ruleset", `{"name":"a","description":"d","markdown":"one\n"}`, false, "Successfully")
	m.ann().contains("update_ruleset", `{"name":"a","markdown":"two\n","message":"shorter"}`, false, "proposal 1, which waits for review")
	m.ann().contains("create_ruleset", `{"name":"b","description":"d","markdown":"b"}`, false, "proposal 2")
	m.ann().contains("delete_ruleset", `{"name":"a"}`, false, "proposal 3")
	m.ann().contains("label_ruleset", `{"name":"a","label":"production"}`, false, "proposal 4")
	m.bob().contains("update_ruleset", `{"name":"a","description":"e","propose":true}`, false, "proposal 5")
	if m.markdown("a") != "one\n" || m.markdown("b") != "" {
		t.Error("a proposal changed something")
	}
	m.ann().contains("find_rulesets", `{"proposals":"1"}`, false, "Proposal 1 open: update a from revision 1; 2025-10-29 10:30:00, Ann", ": shorter", "-one\n+two\n")
	m.ann().contains("find_rulesets", `{"proposals":"open"}`, false, "5 proposal(s)", "4 open: move production of a", "3 open: delete a from revision 1")
	m.as("eve", scopeRead).contains("find_rulesets", `{"proposals":"open"}`, true, "proposals take the scope rulesets:propose or rulesets:write")
	m.ann().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":1}]}`, true, "takes the scope rulesets:write")
	m.ann().contains("apply_rulesets", `{"operations":[{"op":"comment","proposal":1}],"message":"please"}`, false, "Proposal 1 is commented on")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":1,"label":"production"}],"message":"fine"}`, false,
		"Proposal 1 is accepted", "a: updated, revision 2", "a: production is at revision 2")
	if m.markdown("a") != "two\n" {
		t.Errorf("a is %q", m.markdown("a"))
	}
	m.bob().contains("ruleset_history", `{"name":"a"}`, false, "- 2: 2025-10-29 10:30:00, Ann", "proposal 1: shorter")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":2}]}`, false, "b: created, revision 1")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"refuse","proposal":5}],"message":"no"}`, false, "Proposal 5 is refused")
	m.ann().contains("find_rulesets", `{"proposals":"5"}`, false, "- refused; 2025-10-29 10:30:00, bob", ": no")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":5}]}`, true, "proposal 5 is refused already")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"withdraw","proposal":4}]}`, true, "is of ann, who alone can withdraw it")
	m.ann().contains("apply_rulesets", `{"operations":[{"op":"withdraw","proposal":4}]}`, false, "Proposal 4 is withdrawn")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":9}]}`, true, "there is no proposal 9")
}

// A proposal whose base has changed is not accepted, and shows what changed.
func TestStaleProposals(t *testing.T) {
	m := newTeam(t, LabelRules{})
	m.bob().contains("create_ruleset", `{"name":"a","description":"d","markdown":"one\n"}`, false, "Successfully")
	m.ann().contains("update_ruleset", `{"name":"a","markdown":"two\n"}`, false, "proposal 1")
	m.ann().contains("create_ruleset", `{"name":"b","description":"d","markdown":"hers"}`, false, "proposal 2")
	m.ann().contains("label_ruleset", `{"name":"a","label":"staging","rev":1}`, false, "proposal 3")
	m.bob().contains("update_ruleset", `{"name":"a","markdown":"his\n"}`, false, "Successfully")
	m.bob().contains("create_ruleset", `{"name":"b","description":"d","markdown":"his"}`, false, "Successfully")
	m.bob().contains("label_ruleset", `{"name":"a","label":"staging"}`, false, "revision 2")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":1}]}`, true,
		"proposal 1 is not accepted, and nothing was merged: it starts from revision 1 of ruleset 'a', which is at 2 now", "-one\n+his\n")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":2}]}`, true, "nothing was merged: ruleset 'b' already exists")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":3}]}`, true, "was at revision 0 and is at 2 now")
	m.bob().contains("find_rulesets", `{"proposals":"1"}`, false, "cannot be accepted: it starts from revision 1, and now it is 2", "-one\n+two\n", "What changed since:\n")
	if m.markdown("a") != "his\n" || m.markdown("b") != "his" {
		t.Error("a stale proposal changed something")
	}
	m.ann().contains("update_ruleset", `{"name":"a","markdown":"x","if_rev":1}`, true, "was changed in the meantime")
	m.ann().contains("update_ruleset", `{"name":"a","markdown":"his\n"}`, true, "it would change nothing")
}

// Protected labels need rulesets:admin also in proposals, and texts are scanned when they
// are proposed.
func TestProposalsKeepTheRules(t *testing.T) {
	m := newTeam(t, LabelRules{protected: []string{"production"}})
	m.bob().contains("create_ruleset", `{"name":"a","description":"d","markdown":"one"}`, false, "Successfully")
	m.ann().contains("label_ruleset", `{"name":"a","label":"production"}`, false, "proposal 1")
	for _, verb := range []string{"accept", "refuse"} {
		m.bob().contains("apply_rulesets", `{"operations":[{"op":"`+verb+`","proposal":1}]}`, true, "is protected: moving it takes the scope rulesets:admin")
	}
	m.as("cy", scopeRead, scopeWrite, scopeAdmin).contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":1}]}`, false, "production is at revision 1")
	m.ann().contains("create_ruleset", `{"name":"c","description":"d","markdown":"AKIAQ4J7VNRC2XMP3LZT"}`, true, "secret")
}

// A reviewed label moves only to revisions that another key accepted, or back.
func TestReviewedLabels(t *testing.T) {
	m := newTeam(t, LabelRules{reviewed: []string{"production"}})
	m.bob().contains("create_ruleset", `{"name":"a","description":"d","markdown":"one"}`, false, "Successfully")
	m.bob().contains("label_ruleset", `{"name":"a","label":"production"}`, true, "moves only to reviewed revisions, and revision 1 of ruleset 'a' is none")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"label","name":"a","label":"production"}]}`, true, "moves only to reviewed revisions")
	m.bob().contains("label_ruleset", `{"name":"a","label":"staging"}`, false, "revision 1")
	m.bob().contains("label_ruleset", `{"name":"a","label":"production","propose":true}`, false, "proposal 1")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":1}]}`, true, "moves only to reviewed revisions")
	m.as("cy", scopeRead, scopeWrite).contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":1}]}`, false, "production is at revision 1")
	m.ann().contains("update_ruleset", `{"name":"a","markdown":"two"}`, false, "proposal 2")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":2}]}`, false, "revision 2")
	m.bob().contains("label_ruleset", `{"name":"a","label":"production"}`, false, "from revision 1 to 2")
	m.bob().contains("label_ruleset", `{"name":"a","label":"production","rev":1}`, false, "from revision 2 to 1")
	m.bob().contains("label_ruleset", `{"name":"a","label":"production","remove":true}`, true, "is removed only by a proposal")
	m.bob().contains("update_ruleset", `{"name":"a","markdown":"three","propose":true}`, false, "proposal 3")
	m.bob().contains("apply_rulesets", `{"operations":[{"op":"accept","proposal":3}]}`, false, "revision 3")
	m.bob().contains("label_ruleset", `{"name":"a","label":"production"}`, true, "revision 3 of ruleset 'a' is none")
}
