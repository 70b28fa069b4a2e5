package rulesets

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// at returns a ruleset as it is, or as it was at a revision. A revision has the
// time at which it was made, and the ruleset's time of creation is that of the
// first one.
func (t *tools) at(ctx context.Context, name ruleset.Name, rev *int) (ruleset.Ruleset, error) {
	if rev == nil {
		return t.store.Get(ctx, name)
	}
	history, err := t.store.History(ctx, name)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	found, err := find(history, name, *rev)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	if found.Deleted {
		return ruleset.Ruleset{}, fmt.Errorf("revision %d of ruleset '%s' is its deletion", *rev, name)
	}
	r := found.Content
	r.CreatedAt, r.LastModified, r.Rev = history[len(history)-1].At, found.At, found.Number
	return r, nil
}

// find returns a revision from a history.
func find(history []ruleset.Revision, name ruleset.Name, rev int) (ruleset.Revision, error) {
	for _, r := range history {
		if r.Number == rev {
			return r, nil
		}
	}
	return ruleset.Revision{}, &ruleset.NoRevisionError{Name: name, Number: rev, Last: history[0].Number}
}

// explainConflict adds to a conflict what others have changed since the revision
// that the caller knows, so that a model can merge.
func (t *tools) explainConflict(ctx context.Context, err error, since int) error {
	conflict, ok := errors.AsType[*ruleset.ConflictError](err)
	if !ok {
		return err
	}
	current := conflict.Current
	history, historyErr := t.store.History(ctx, current.Name)
	if historyErr != nil {
		return err // without the difference
	}
	known, historyErr := find(history, current.Name, since)
	if historyErr != nil {
		return fmt.Errorf("%w; %w", err, historyErr)
	}
	newest := ruleset.Revision{Number: current.Rev, Content: current}
	return fmt.Errorf("%w, not %d. Read it, merge, and use if_rev %d. What changed since:\n%s", err, since, current.Rev, Diff(known, newest))
}

// Diff returns the difference between two revisions as a unified diff.
func Diff(from, to ruleset.Revision) string {
	label := func(r ruleset.Revision) string { return fmt.Sprintf("%s@%d", r.Content.Name, r.Number) }
	return udiff.Unified(label(from), label(to), plainText(from), plainText(to))
}

// plainText is the content of a revision as a text to compare, "" for a deletion.
func plainText(r ruleset.Revision) string {
	if r.Deleted {
		return ""
	}
	c := r.Content
	text := "description: " + c.Description + "\ntags: [" + strings.Join(c.Tags, ", ") + "]\n" + c.Extra + "---\n" + c.Markdown
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

type historyArgs struct {
	Name  string `json:"name"`
	From  *int   `json:"from" doc:"Diff from this revision"`
	To    *int   `json:"to"`
	Limit *int   `json:"limit" min:"1"`
}

// defaultLimit is the default number of revisions in a list.
const defaultLimit = 50

func (t *tools) history(ctx context.Context, _ *mcp.Call, args historyArgs) (historyOf, error) {
	name, err := ruleset.ParseName(args.Name)
	if err != nil {
		return historyOf{}, &opError{"retrieve", err}
	}
	history, err := t.store.History(ctx, name)
	if err != nil {
		return historyOf{}, &opError{"retrieve", err}
	}
	if args.From != nil || args.To != nil {
		return compare(name, history, args)
	}
	limit := defaultLimit
	if args.Limit != nil {
		limit = *args.Limit
	}
	moves, err := t.store.LabelMoves(ctx, name)
	if err != nil {
		return historyOf{}, &opError{"retrieve", err}
	}
	labels := ruleset.Labels(moves)
	h := historyOf{Name: args.Name, Total: len(history), Revisions: []revisionInfo{}}
	for _, r := range history[:min(limit, len(history))] {
		info := infoOf(r)
		for _, label := range slices.Sorted(maps.Keys(labels)) {
			if labels[label] == r.Number {
				info.Labels = append(info.Labels, string(label))
			}
		}
		h.Revisions = append(h.Revisions, info)
	}
	return h, nil
}

// compare answers with the difference between two revisions. Without from it is
// that to the one before.
func compare(name ruleset.Name, history []ruleset.Revision, args historyArgs) (historyOf, error) {
	to := history[0].Number
	if args.To != nil {
		to = *args.To
	}
	before := max(to-1, 1)
	if args.From != nil {
		before = *args.From
	}
	first, firstErr := find(history, name, before)
	second, secondErr := find(history, name, to)
	if err := errors.Join(firstErr, secondErr); err != nil {
		return historyOf{}, &opError{"retrieve", err}
	}
	return historyOf{
		Name: args.Name, Total: len(history), Revisions: []revisionInfo{infoOf(second), infoOf(first)}, Diff: new(Diff(first, second)),
	}, nil
}

// revisionInfo is a revision in an answer.
type revisionInfo struct {
	Rev      int       `json:"rev"`
	At       time.Time `json:"at"`
	Author   string    `json:"author,omitempty"`
	Client   string    `json:"client,omitempty"`
	Message  string    `json:"message,omitempty"`
	Restores int       `json:"restores,omitempty"`
	Deleted  bool      `json:"deleted,omitempty"`
	Labels   []string  `json:"labels,omitempty"`
}

func infoOf(r ruleset.Revision) revisionInfo {
	return revisionInfo{
		Rev: r.Number, At: r.At, Author: r.By.Author, Client: r.By.Client, Message: r.By.Message, Restores: r.By.Restores, Deleted: r.Deleted,
	}
}

// historyOf is the answer of ruleset_history.
type historyOf struct {
	Name      string         `json:"name"`
	Total     int            `json:"total"`
	Revisions []revisionInfo `json:"revisions"`
	Diff      *string        `json:"diff,omitempty"`
}

// Text lists the revisions, or shows the difference between two.
func (h historyOf) Text() string {
	if h.Diff != nil {
		if *h.Diff == "" {
			return fmt.Sprintf("Revisions %d and %d of '%s' are the same", h.Revisions[1].Rev, h.Revisions[0].Rev, h.Name)
		}
		return *h.Diff
	}
	var b strings.Builder
	fmt.Fprintf(&b, "'%s' has %d revision(s):\n\n", h.Name, h.Total)
	for _, r := range h.Revisions {
		b.WriteString("- " + r.line() + "\n")
	}
	if more := h.Total - len(h.Revisions); more > 0 {
		fmt.Fprintf(&b, "… and %d older\n", more)
	}
	return b.String()
}

// line describes a revision.
func (r revisionInfo) line() string {
	text := fmt.Sprintf("%d: %s", r.Rev, clock(r.At))
	if r.Author != "" {
		text += ", " + r.Author
	}
	if r.Client != "" {
		text += " (" + r.Client + ")"
	}
	if len(r.Labels) > 0 {
		text += ", labels " + strings.Join(r.Labels, " ")
	}
	if r.Deleted {
		text += ", deleted"
	}
	if r.Restores != 0 {
		text += fmt.Sprintf(", restores %d", r.Restores)
	}
	if r.Message != "" {
		text += ": " + r.Message
	}
	return text
}

type restoreArgs struct {
	Name    string  `json:"name"`
	Rev     int     `json:"rev" min:"1"`
	Message *string `json:"message"`
}

func (t *tools) restore(ctx context.Context, call *mcp.Call, args restoreArgs) (done, error) {
	name, err := ruleset.ParseName(args.Name)
	if err != nil {
		return done{}, &opError{"restore", err}
	}
	r, err := Restore(ctx, t.store, name, args.Rev, 0, by(call, args.Message))
	if err != nil {
		return done{}, &opError{"restore", err}
	}
	return doneAt(call, args.Name, "restored", r.Rev), nil
}

// Restore gives a ruleset the content of a revision again, and creates it again if
// it was deleted.
func Restore(ctx context.Context, store ruleset.Store, name ruleset.Name, rev, ifRev int, by ruleset.By) (ruleset.Ruleset, error) {
	history, err := store.History(ctx, name)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	old, err := find(history, name, rev)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	if old.Deleted {
		return ruleset.Ruleset{}, fmt.Errorf("revision %d is a deletion and has no content", rev)
	}
	if history[0].Deleted {
		return store.Create(ctx, old.Draft(by))
	}
	patch := old.Patch(by)
	patch.IfRev = ifRev
	return store.Update(ctx, name, patch)
}
