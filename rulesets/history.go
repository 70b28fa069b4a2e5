package rulesets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// at returns a ruleset as a store shows it, or as it was at a revision. Its time
// of change is that of the revision, its time of creation that of the first
// revision.
func (t *tools) at(ctx context.Context, store ruleset.Store, name ruleset.Name, rev *int) (ruleset.Ruleset, error) {
	if rev == nil {
		return store.Get(ctx, name)
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
	return ruleset.Revision{}, &ruleset.NoRevisionError{Name: name, Number: rev, First: history[len(history)-1].Number, Last: history[0].Number}
}

// explainConflict adds to a conflict the revision that the caller knows and the changes
// since, so that a model can merge them.
func explainConflict(ctx context.Context, store ruleset.Store, err error, since baseRev) error {
	conflict, ok := errors.AsType[*ruleset.ConflictError](err)
	if !ok {
		return err
	}
	current := conflict.Current
	history, historyErr := store.History(ctx, current.Name)
	if historyErr != nil {
		return err // without the differences
	}
	known, historyErr := find(history, current.Name, since.number)
	if historyErr != nil {
		return fmt.Errorf("%w; %w", err, historyErr)
	}
	newest := ruleset.Revision{Number: current.Rev, Content: current}
	return fmt.Errorf("%w, %s. Read it, merge, and use if_rev %d. What changed since:\n%s",
		err, since, current.Rev, Diff(known, newest, ContentsOf(ctx, store)))
}

// String returns how an error contrasts the revision with the current one.
func (b baseRev) String() string {
	if b.read {
		return fmt.Sprintf("while you have read revision %d", b.number)
	}
	return fmt.Sprintf("not %d", b.number)
}

type historyArgs struct {
	Name  string `json:"name"`
	From  *int   `json:"from"`
	To    *int   `json:"to"`
	Words bool   `json:"words,omitempty" listed:"false" doc:"Diff by words"`
	Moves bool   `json:"moves,omitempty"`
	Limit *int   `json:"limit" min:"1" listed:"false" doc:"Default: 50"`
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
		return compare(name, history, args, ContentsOf(ctx, t.store))
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
	history, moves = t.names.WithNames(ctx, history[:min(limit, len(history))], moves[:min(limit, len(moves))])
	if args.Moves {
		h.Moves = new(MovesOf(moves))
		return h, nil
	}
	for _, r := range history {
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

// compare returns the difference between two revisions. Without from, it compares
// with the preceding revision.
func compare(name ruleset.Name, history []ruleset.Revision, args historyArgs, contents Contents) (historyOf, error) {
	second := history[0]
	var first ruleset.Revision
	var toErr, fromErr error
	if args.To != nil {
		second, toErr = find(history, name, *args.To)
	}
	if args.From != nil {
		first, fromErr = find(history, name, *args.From)
	} else {
		first = before(history, second)
	}
	if err := errors.Join(fromErr, toErr); err != nil {
		return historyOf{}, &opError{"retrieve", err}
	}
	show := Diff
	if args.Words {
		show = WordDiff
	}
	diff := show(first, second, contents)
	return historyOf{
		Name: args.Name, Total: len(history), Revisions: []revisionInfo{infoOf(second), infoOf(first)}, Diff: &diff,
	}, nil
}

// before returns the preceding revision in a history, or r itself if it is the
// oldest.
func before(history []ruleset.Revision, r ruleset.Revision) ruleset.Revision {
	for _, other := range history {
		if other.Number < r.Number {
			return other
		}
	}
	return r
}

// A MoveInfo is the move of a label in answers and in what commands print for programs.
type MoveInfo struct {
	Label   string    `json:"label"`
	From    int       `json:"from,omitempty"`
	To      int       `json:"to,omitempty"`
	At      time.Time `json:"at"`
	Author  string    `json:"author,omitempty"`
	Name    string    `json:"author_name,omitempty" doc:"Of the author's key"`
	Client  string    `json:"client,omitempty"`
	Message string    `json:"message,omitempty"`
}

// MovesOf returns moves of labels in the form of answers.
func MovesOf(moves []ruleset.LabelMove) []MoveInfo {
	all := make([]MoveInfo, len(moves))
	for i, m := range moves {
		all[i] = MoveInfo{string(m.Label), m.From, m.To, m.At, m.By.Author, m.By.Name, m.By.Client, m.By.Message}
	}
	return all
}

// Move returns the move that an answer has.
func (m *MoveInfo) Move() ruleset.LabelMove {
	by := ruleset.By{Author: m.Author, Name: m.Name, Client: m.Client, Message: m.Message}
	return ruleset.LabelMove{Label: ruleset.Label(m.Label), From: m.From, To: m.To, At: m.At, By: by}
}

// line describes the move.
func (m *MoveInfo) line() string {
	text := fmt.Sprintf("%s: %s from %d to %d", clock(m.At), m.Label, m.From, m.To)
	switch {
	case m.From == 0:
		text = fmt.Sprintf("%s: %s to %d", clock(m.At), m.Label, m.To)
	case m.To == 0:
		text = fmt.Sprintf("%s: %s removed from %d", clock(m.At), m.Label, m.From)
	}
	return text + revisionInfo{Author: m.Author, Name: m.Name, Client: m.Client, Message: m.Message}.by()
}

// revisionInfo is a revision in an answer.
type revisionInfo struct {
	Rev      int       `json:"rev"`
	At       time.Time `json:"at"`
	Author   string    `json:"author,omitempty"`
	Name     string    `json:"author_name,omitempty" doc:"Of the author's key"`
	Client   string    `json:"client,omitempty"`
	Message  string    `json:"message,omitempty"`
	Restores int       `json:"restores,omitempty"`
	Proposal int       `json:"proposal,omitempty"`
	Deleted  bool      `json:"deleted,omitempty"`
	Labels   []string  `json:"labels,omitempty"`
}

func infoOf(r ruleset.Revision) revisionInfo {
	return revisionInfo{
		Rev: r.Number, At: r.At, Author: r.By.Author, Name: r.By.Name, Client: r.By.Client, Message: r.By.Message, Restores: r.By.Restores, Proposal: r.By.Proposal, Deleted: r.Deleted,
	}
}

// historyOf is the answer of ruleset_history.
type historyOf struct {
	Name      string         `json:"name"`
	Total     int            `json:"total"`
	Revisions []revisionInfo `json:"revisions"`
	Diff      *string        `json:"diff,omitempty"`
	Moves     *[]MoveInfo    `json:"moves,omitempty"`
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
	if h.Moves != nil {
		fmt.Fprintf(&b, "Moves of the labels of '%s', newest first:\n\n", h.Name)
		for _, m := range *h.Moves {
			b.WriteString("- " + m.line() + "\n")
		}
		return b.String()
	}
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
	text := fmt.Sprintf("%d: %s", r.Rev, clock(r.At)) + revisionInfo{Author: r.Author, Name: r.Name, Client: r.Client}.by()
	if len(r.Labels) > 0 {
		text += ", labels " + strings.Join(r.Labels, " ")
	}
	if r.Deleted {
		text += ", deleted"
	}
	if r.Restores != 0 {
		text += fmt.Sprintf(", restores %d", r.Restores)
	}
	if r.Proposal != 0 {
		text += fmt.Sprintf(", proposal %d", r.Proposal)
	}
	if r.Message != "" {
		text += ": " + r.Message
	}
	return text
}

// by returns the author and the message of a revision.
func (r revisionInfo) by() (text string) {
	if who := cmp.Or(r.Name, r.Author); who != "" {
		text += ", " + who
	}
	if r.Client != "" {
		text += " (" + r.Client + ")"
	}
	if r.Message != "" {
		text += ": " + r.Message
	}
	return text
}

// Restore restores the content of a revision. It recreates a deleted ruleset.
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
	files, err := ruleset.RestoreFiles(ctx, store, name, old.Content.Files)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	if history[0].Deleted {
		draft := old.Draft(by)
		draft.Files = files
		return ruleset.Create(ctx, store, draft)
	}
	patch := old.Patch(by)
	patch.Files, patch.IfRev = files, ifRev
	if len(files) > 0 && ifRev == 0 {
		patch.IfRev = history[0].Number // changes of files are relative to it
	}
	return ruleset.Update(ctx, store, name, patch)
}
