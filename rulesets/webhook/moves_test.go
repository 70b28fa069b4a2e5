package webhook

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Labels that move and proposals are told once, also those of the time between two runs,
// but not those from before the first.
func TestMovesAreTold(t *testing.T) {
	store := memstore.New(time.Now)
	to := newReceiver(t)
	file := filepath.Join(t.TempDir(), "webhook.json")
	apply := func(ops ...ruleset.Operation) {
		t.Helper()
		if _, err := store.Apply(t.Context(), ops, ruleset.ApplyOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	ann, bob := ruleset.By{Author: "key_a", Client: "editor", Message: "why"}, ruleset.By{Author: "key_b", Message: "fine"}
	move := func(label ruleset.Label, rev int, by ruleset.By) ruleset.Operation {
		return ruleset.Operation{Name: "a", Move: &ruleset.LabelMove{Label: label, To: rev, By: by}}
	}
	apply(ruleset.Operation{Name: "a", Create: &ruleset.Draft{Name: "a", Markdown: "A"}}, move("old", 1, ann))
	apply(ruleset.OpenProposal("old", ann))
	run := func() (end func()) {
		ctx, stop := context.WithCancel(t.Context())
		hook := &Hook{
			URL: to.URL, Secret: secret, Record: OpenFile(file), Store: store, Logger: slog.New(slog.DiscardHandler), Pause: time.Millisecond,
			Describe: func(p ruleset.Proposal) string { return "the " + p.Data },
		}
		ended := make(chan struct{})
		go func() { defer close(ended); _ = hook.Run(ctx) }() // it ends with its context
		return func() { stop(); <-ended }
	}
	expect := func(want Message) {
		t.Helper()
		if got := to.next(t); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	known := func() map[ruleset.Name]int {
		known, _ := OpenFile(file).Known(t.Context()) // none until it is there
		return known
	}
	end := run()
	for known()[countsMoves] == 0 { // moves from before are counted, and not told
		time.Sleep(time.Millisecond)
	}
	apply(move("production", 1, ann))
	expect(Message{Event: "label.moved", Name: "a", Label: "production", Rev: 1, Author: "key_a", Client: "editor", Reason: "why"})
	apply(ruleset.OpenProposal("change", ann))
	expect(Message{Event: "proposal.opened", Proposal: 2, Changes: "the change", Author: "key_a", Client: "editor", Reason: "why"})
	for known()[ruleset.ProposalLog] != 2 { // else it may come twice
		time.Sleep(time.Millisecond)
	}
	end()
	apply(move("production", 0, bob))
	apply(ruleset.MoveProposal(2, ruleset.Open, bob))
	apply(ruleset.MoveProposal(2, ruleset.Accepted, bob))
	defer run()()
	expect(Message{Event: "label.removed", Name: "a", Label: "production", From: 1, Author: "key_b", Reason: "fine"})
	expect(Message{Event: "proposal.commented", Proposal: 2, Changes: "the change", Author: "key_b", Reason: "fine"})
	expect(Message{Event: "proposal.accepted", Proposal: 2, Changes: "the change", Author: "key_b", Reason: "fine"})
}

// The expected texts follow Slack's rules for text and the schema of adaptive cards.
func TestFormats(t *testing.T) {
	m := Message{
		Event: "label.moved", Name: "go_style", Label: "production", Rev: 7, Author: "key_a", AuthorName: "Ann & Co", Reason: "<b> *now*",
		Address: "https://rules.example.com/console/rules/go_style",
	}
	for format, want := range map[Format]string{
		Slack: `{"text":"Ann \u0026amp; Co moved production of go_style to revision 7: \u0026lt;b\u0026gt; *now* \u003chttps://rules.example.com/console/rules/go_style|Open\u003e"}`,
		Teams: `{"type":"message","attachments":[{"contentType":"application/vnd.microsoft.card.adaptive","contentUrl":null,"content":{` +
			`"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","type":"AdaptiveCard","version":"1.4",` +
			`"body":[{"type":"TextBlock","text":"Ann \u0026 Co moved production of go\\_style to revision 7: \u003cb\u003e \\*now\\*","wrap":true}],` +
			`"actions":[{"type":"Action.OpenUrl","title":"Open","url":"https://rules.example.com/console/rules/go_style"}]}}]}`,
	} {
		if got, err := format.encode(&m); string(got) != want || err != nil {
			t.Errorf("format %d: %s %v, want %s", format, got, err, want)
		}
	}
	for host, want := range map[string]Format{
		"hooks.slack.com": Slack, "acme.webhook.office.com": Teams, "prod-1.westeurope.logic.azure.com": Teams, "ci.example.com": JSON, "evilslack.com": JSON,
	} {
		if got, err := ParseFormat("", host); got != want || err != nil {
			t.Errorf("%s: %d %v, want %d", host, got, err, want)
		}
	}
	if _, err := ParseFormat("irc", "x"); err == nil {
		t.Error("an unknown format is taken")
	}
	if got, _ := ParseFormat("json", "hooks.slack.com"); got != JSON {
		t.Error("the host wins over the word")
	}
}
