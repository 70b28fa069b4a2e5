package rulesets

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Change is one change of a batch, as given by clients and files.
type Change struct {
	Op          string    `json:"op"` // create, update, put, delete, restore or label, or a verb of [Review]
	Name        string    `json:"name,omitempty"`
	Description *string   `json:"description,omitempty"`
	Tags        *[]string `json:"tags,omitempty"`
	Markdown    *string   `json:"markdown,omitempty"`
	IfRev       *int      `json:"if_rev,omitempty"`
	Rev         *int      `json:"rev,omitempty"` // to restore or label
	Label       *string   `json:"label,omitempty"`
	Remove      bool      `json:"remove,omitempty"`  // the label
	Message     string    `json:"message,omitempty"` // why, if not that of the batch
	// Proposal is the number of a proposal that is reviewed, see [Review].
	Proposal int `json:"proposal,omitempty"`

	// Further fields of files. A nil Extra leaves the keys unchanged.
	Extra        *string   `json:"extra,omitempty"`
	Files        []FileArg `json:"files,omitempty"`
	CreatedAt    time.Time `json:"-"`
	LastModified time.Time `json:"-"`
}

// A Planner converts changes to operations on a store.
type Planner struct {
	Store  ruleset.Store
	Labels LabelRules
	By     ruleset.By
	// Admin permits moving protected labels.
	Admin bool

	reviewed bool                  // permit moving labels to unreviewed revisions
	implied  map[ruleset.Name]bool // rulesets whose IfRev is the revision that the caller has read
}

// Plan returns an operation for each change. "put" and "restore" depend on the
// current state of the store; if it changes before the operations are applied,
// they fail.
func (p *Planner) Plan(ctx context.Context, changes []Change) ([]ruleset.Operation, error) {
	if len(changes) == 0 {
		return nil, errors.New("there are no operations")
	}
	ops := make([]ruleset.Operation, len(changes))
	for i := range changes {
		name, err := ruleset.ParseName(changes[i].Name)
		if err == nil {
			ops[i], err = p.operation(ctx, name, &changes[i])
		}
		if err != nil {
			return nil, &ruleset.OperationError{Index: i, Verb: changes[i].Op, Name: ruleset.Name(changes[i].Name), Err: err}
		}
	}
	return ops, nil
}

func (p *Planner) operation(ctx context.Context, name ruleset.Name, c *Change) (op ruleset.Operation, err error) {
	op.Name = name
	switch c.Op {
	case "create":
		op.Create, err = p.draft(name, c)
	case "update":
		op.Update, err = p.patch(c)
	case "put":
		err = p.put(ctx, &op, c)
	case "delete":
		op.Delete = &ruleset.Removal{By: p.by(c), IfRev: orZero(c.IfRev)}
	case "restore":
		err = p.restore(ctx, &op, c)
	case "label":
		op.Move, err = p.move(ctx, name, c)
	default:
		err = errors.New("it is none of create, update, put, delete, restore and label")
	}
	return op, err
}

// by returns the author of a change.
func (p *Planner) by(c *Change) ruleset.By {
	by := p.By
	by.Message = cmp.Or(c.Message, by.Message)
	return by
}

func (p *Planner) draft(name ruleset.Name, c *Change) (*ruleset.Draft, error) {
	d := &ruleset.Draft{Name: name, By: p.by(c), CreatedAt: c.CreatedAt, LastModified: c.LastModified}
	if c.Markdown == nil {
		return nil, errors.New("a new ruleset needs markdown")
	}
	d.Markdown = *c.Markdown
	if c.Description != nil {
		d.Description = *c.Description
	}
	if c.Tags != nil {
		d.Tags = *c.Tags
	}
	if c.Extra != nil {
		d.Extra = *c.Extra
	}
	var err error
	d.Files, err = fileChanges(c.Files)
	return d, err
}

func (p *Planner) patch(c *Change) (*ruleset.Patch, error) {
	files, err := fileChanges(c.Files)
	if err != nil {
		return nil, err
	}
	patch := &ruleset.Patch{
		Description: c.Description, Tags: c.Tags, Markdown: c.Markdown, Extra: c.Extra, Files: files, By: p.by(c), IfRev: orZero(c.IfRev),
	}
	if patch.Empty() {
		return nil, errNothingToUpdate
	}
	return patch, nil
}

// put creates a ruleset, or replaces the content of an existing one.
func (p *Planner) put(ctx context.Context, op *ruleset.Operation, c *Change) error {
	now, err := p.Store.Get(ctx, op.Name)
	if _, missing := errors.AsType[*ruleset.NotFoundError](err); missing {
		op.Create, err = p.draft(op.Name, c)
		return err
	}
	if err != nil {
		return err
	}
	if op.Update, err = p.patch(c); err == nil && op.Update.IfRev == 0 {
		op.Update.IfRev = now.Rev
	}
	return err
}

// restore restores the content of a revision.
func (p *Planner) restore(ctx context.Context, op *ruleset.Operation, c *Change) error {
	history, err := p.Store.History(ctx, op.Name)
	if err != nil {
		return err
	}
	old, err := find(history, op.Name, orZero(c.Rev))
	switch {
	case c.Rev == nil:
		return errors.New("give the rev to restore")
	case err != nil:
		return err
	case old.Deleted:
		return fmt.Errorf("revision %d is a deletion and has no content", old.Number)
	}
	files, err := ruleset.RestoreFiles(ctx, p.Store, op.Name, old.Content.Files)
	switch {
	case err != nil:
		return err
	case history[0].Deleted:
		d := old.Draft(p.by(c))
		d.Files, op.Create = files, &d
	default:
		patch := old.Patch(p.by(c))
		patch.Files = files
		if patch.IfRev = orZero(c.IfRev); patch.IfRev == 0 {
			patch.IfRev = history[0].Number
		}
		op.Update = &patch
	}
	return nil
}

func (p *Planner) move(ctx context.Context, name ruleset.Name, c *Change) (*ruleset.LabelMove, error) {
	if c.Label == nil {
		return nil, errors.New("give the label")
	}
	m, err := p.Labels.Move(*c.Label, p.Admin)
	if err != nil {
		return nil, err
	}
	m.To, m.Newest, m.By = orZero(c.Rev), c.Rev == nil && !c.Remove, p.by(c)
	if c.Remove {
		m.To = 0
	}
	if !p.reviewed {
		m, err = p.Labels.Check(ctx, p.Store, name, m)
	}
	return &m, err
}

// A ChangeSet is a batch of changes with its options.
type ChangeSet struct {
	Changes []Change
	Message string
	DryRun  bool
	Each    bool // continue after a ruleset that fails
	Admin   bool // permit moving protected labels
}

// Apply makes the changes, all or none, or each ruleset by itself. An error means
// that nothing changed; changes that fail by themselves are reported in the
// answer.
func (p *Planner) Apply(ctx context.Context, set ChangeSet, progress func(done, total int)) (Applied, error) {
	ops, err := p.Plan(ctx, set.Changes)
	if err != nil {
		return Applied{}, err
	}
	o, contents := ruleset.ApplyOptions{DryRun: set.DryRun, Progress: progress}, ContentsOf(ctx, p.Store).with(ops)
	if set.Each {
		outcomes, err := ruleset.ApplyEach(ops, o, func(own []ruleset.Operation, o ruleset.ApplyOptions) ([]ruleset.Outcome, error) {
			return p.Store.Apply(ctx, own, o)
		})
		return report(set, outcomes, err, contents), nil
	}
	outcomes, err := p.Store.Apply(ctx, ops, o)
	if err != nil {
		return Applied{}, p.explain(ctx, err, ops)
	}
	return report(set, outcomes, nil, contents), nil
}

// explain adds to a conflict the changes that others made.
func (p *Planner) explain(ctx context.Context, err error, ops []ruleset.Operation) error {
	failed, ok := errors.AsType[*ruleset.OperationError](err)
	if !ok {
		return err
	}
	since := baseRev{read: p.implied[failed.Name]}
	switch op := ops[failed.Index]; {
	case op.Update != nil:
		since.number = op.Update.IfRev
	case op.Delete != nil:
		since.number = op.Delete.IfRev
	}
	return explainConflict(ctx, p.Store, err, since)
}

// applyArgs leaves the members of operations to [ParseChanges]: a schema for them
// would cost every session more tokens than the tools that they repeat.
type applyArgs struct {
	Operations []json.RawMessage `json:"operations" doc:"{op, name, …}; op: create, update, put, delete, restore (rev), label, accept or refuse (proposal)"`
	DryRun     bool              `json:"dry_run,omitempty"`
	Each       bool              `json:"each,omitempty" listed:"false" doc:"Go on after failures"`
	Message    *string           `json:"message" listed:"false"`
	Propose    bool              `json:"propose,omitempty" listed:"false"`
}

func (t *tools) apply(ctx context.Context, call *mcp.Call, args applyArgs) (Applied, error) {
	changes, err := parseEach(args.Operations)
	if err != nil {
		return Applied{}, &opError{"apply", err}
	}
	implied, err := t.reads.expectBatch(ctx, call, changes)
	if err != nil {
		return Applied{}, &opError{"apply", err}
	}
	if review, is, err := reviewIn(changes); is || err != nil {
		if err == nil {
			review.DryRun = args.DryRun
			return t.review(ctx, call, review, args.Message)
		}
		return Applied{}, &opError{"apply", err}
	}
	p := Planner{Store: t.store, implied: implied, Labels: t.labels, By: by(call, args.Message), Admin: call.Caller().Principal.Allows(scopeAdmin)}
	if t.proposes(call, args.Propose) && !args.DryRun {
		number, err := p.Propose(ctx, changes)
		if err != nil {
			return Applied{}, &opError{"apply", err}
		}
		return Applied{Proposal: number, Changes: []AppliedChange{}}, nil
	}
	set := ChangeSet{Changes: changes, DryRun: args.DryRun, Each: args.Each}
	applied, err := p.Apply(ctx, set, func(done, total int) { call.Progress(ctx, float64(done), float64(total), "") })
	if err != nil {
		return Applied{}, &opError{"apply", err}
	}
	if !args.DryRun {
		t.reads.knowsBatch(ctx, call, changes, applied.Changes)
	}
	return applied, nil
}

// ParseChanges parses a JSON list of changes, or an object with such a list as
// its member operations.
func ParseChanges(text []byte) ([]Change, error) {
	var whole struct {
		Operations []json.RawMessage `json:"operations"`
	}
	into := any(&whole)
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		into = &whole.Operations
	}
	if err := decodeStrictly(text, into); err != nil {
		return nil, fmt.Errorf("the operations: %w", err)
	}
	return parseEach(whole.Operations)
}

func parseEach(raw []json.RawMessage) ([]Change, error) {
	changes := make([]Change, len(raw))
	for i, one := range raw {
		if err := decodeStrictly(one, &changes[i]); err != nil {
			return nil, fmt.Errorf("operation %d: %w", i+1, err)
		}
	}
	return changes, nil
}

// decodeStrictly decodes one JSON value and rejects unknown members.
func decodeStrictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more text follows the JSON")
	}
	return nil
}

// Applied lists the effects of a batch, or of its dry run.
type Applied struct {
	DryRun  bool            `json:"dry_run,omitempty"`
	Changes []AppliedChange `json:"changes"`
	// Proposal is the number of the proposal that was made instead, or reviewed.
	Proposal int    `json:"proposal,omitempty"`
	Decision string `json:"decision,omitempty"` // on the proposal
}

// An AppliedChange is the effect of one change of a batch.
type AppliedChange struct {
	Name   string `json:"name"`
	Status string `json:"status"` // created, updated, unchanged, deleted, restored, labelled, failed
	Rev    int    `json:"rev,omitempty"`
	Label  string `json:"label,omitempty"`
	From   int    `json:"from,omitempty"`
	To     int    `json:"to,omitempty"`
	Diff   string `json:"diff,omitempty"` // of a dry run
	Error  string `json:"error,omitempty"`
}

// statuses names the results of changes.
var statuses = map[ruleset.ChangeKind]string{
	0: "unchanged", ruleset.Created: "created", ruleset.Updated: "updated", ruleset.Deleted: "deleted", ruleset.Labelled: "labelled",
}

// report returns the results of changes. failures joins the
// [*ruleset.OperationError]s of those that failed.
func report(set ChangeSet, outcomes []ruleset.Outcome, failures error, contents Contents) Applied {
	failed := map[int]error{}
	for _, err := range split(failures) {
		if one, ok := errors.AsType[*ruleset.OperationError](err); ok {
			failed[one.Index] = one.Err
		}
	}
	changes := set.Changes
	a := Applied{DryRun: set.DryRun, Changes: make([]AppliedChange, len(outcomes))}
	for i := range outcomes {
		a.Changes[i] = reportOne(&changes[i], &outcomes[i])
		if o := &outcomes[i]; set.DryRun && o.Kind != 0 && o.Kind != ruleset.Labelled {
			a.Changes[i].Diff = Diff(stateRevision(o.Name, o.Before), stateRevision(o.Name, o.After), contents)
		}
		if err := failed[i]; err != nil {
			a.Changes[i] = AppliedChange{Name: changes[i].Name, Status: "failed", Error: err.Error()}
		} else if outcomes[i].Rev == 0 {
			a.Changes[i] = AppliedChange{Name: changes[i].Name, Status: "failed", Error: "another operation on it failed"}
		}
	}
	return a
}

// split returns the errors that an error joins.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

func reportOne(c *Change, o *ruleset.Outcome) AppliedChange {
	one := AppliedChange{Name: c.Name, Status: statuses[o.Kind], Rev: o.Rev}
	switch {
	case o.Kind == ruleset.Labelled:
		one.Label, one.From, one.To = string(o.Move.Label), o.Move.From, o.Move.To
	case c.Op == "restore" && o.Kind != 0:
		one.Status = "restored"
	}
	return one
}

// stateRevision returns a ruleset as a revision to compare; nil is revision 0.
func stateRevision(name ruleset.Name, r *ruleset.Ruleset) ruleset.Revision {
	if r == nil {
		return ruleset.Revision{Deleted: true, Content: ruleset.Ruleset{Meta: ruleset.Meta{Name: name}}}
	}
	return ruleset.Revision{Number: r.Rev, Content: *r}
}

// Text lists the changes, with their differences in a dry run.
func (a Applied) Text() string {
	var b strings.Builder
	switch {
	case a.Decision != "" && a.DryRun:
		fmt.Fprintf(&b, "Dry run, nothing was changed. Proposal %d would be %s\n", a.Proposal, a.Decision)
	case a.Decision != "":
		fmt.Fprintf(&b, "Proposal %d is %s\n", a.Proposal, a.Decision)
	case a.Proposal != 0:
		return proposedText(a.Proposal)
	case a.DryRun:
		fmt.Fprintf(&b, "Dry run, nothing was changed. %d operation(s) would be applied:\n\n", len(a.Changes))
	default:
		fmt.Fprintf(&b, "Applied %d operation(s):\n\n", len(a.Changes))
	}
	for _, c := range a.Changes {
		b.WriteString("- " + c.Line() + "\n")
	}
	for _, c := range a.Changes {
		if c.Diff != "" {
			b.WriteString("\n" + c.Diff)
		}
	}
	return b.String()
}

// Line describes the change.
func (c AppliedChange) Line() string {
	switch {
	case c.Error != "":
		return c.Name + ": failed: " + c.Error
	case c.Label == "":
		return fmt.Sprintf("%s: %s, revision %d", c.Name, c.Status, c.Rev)
	case c.To == 0:
		return fmt.Sprintf("%s: removed %s from revision %d", c.Name, c.Label, c.From)
	case c.From == 0:
		return fmt.Sprintf("%s: %s is at revision %d", c.Name, c.Label, c.To)
	}
	return fmt.Sprintf("%s: moved %s from revision %d to %d", c.Name, c.Label, c.From, c.To)
}

const (
	// detailBytes limits the length of one detail in a record.
	detailBytes = 256
	// maxDetails limits the details that name rulesets; more are only
	// counted.
	maxDetails = 12
)

// applyDetails lists the rulesets of a batch and their revisions for the audit
// record.
func applyDetails(_ json.RawMessage, answer any) map[string]string {
	a, ok := answer.(Applied)
	if !ok {
		return nil
	}
	return a.Details()
}

// Details returns the facts of a batch for its record in the audit trail: the
// rulesets with their revisions, up to maxDetails.
func (a Applied) Details() map[string]string {
	details := map[string]string{"operations": strconv.Itoa(len(a.Changes))}
	if a.DryRun {
		details["dry_run"] = "true"
	}
	if a.Proposal != 0 {
		details["proposal"] = strings.TrimSpace(strconv.Itoa(a.Proposal) + " " + a.Decision)
	}
	line, key := "", "rulesets"
	for i, c := range a.Changes {
		text := c.detail()
		if line != "" && len(line)+len(text)+2 > detailBytes {
			line, key = "", fmt.Sprintf("rulesets_%02d", len(details))
		}
		if len(details) > maxDetails && details[key] == "" {
			details["left_out"] = strconv.Itoa(len(a.Changes) - i)
			return details
		}
		if line != "" {
			line += ", "
		}
		line += text
		details[key] = line
	}
	return details
}

// detail returns the change as a detail of a record.
func (c AppliedChange) detail() string {
	if c.Label != "" {
		return fmt.Sprintf("%s %s %d to %d", c.Name, c.Label, c.From, c.To)
	}
	return fmt.Sprintf("%s@%d %s", c.Name, c.Rev, c.Status)
}
