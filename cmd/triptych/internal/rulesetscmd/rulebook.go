package rulesetscmd

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A rulebook holds the rulesets that commands work on: in a store, or on a server. Its
// methods return the errors of [ruleset.Store].
type rulebook interface {
	List(ctx context.Context) ([]ruleset.Meta, error)
	Search(ctx context.Context, pattern string) ([]ruleset.Meta, error)
	Get(ctx context.Context, name ruleset.Name) (ruleset.Ruleset, error)
	History(ctx context.Context, name ruleset.Name) ([]ruleset.Revision, error) // its content may be missing
	LabelMoves(ctx context.Context, name ruleset.Name) ([]ruleset.LabelMove, error)
	Compare(ctx context.Context, name ruleset.Name, from, to int) (rulesets.Comparison, error)
	ReadFile(ctx context.Context, name ruleset.Name, file ruleset.File) ([]byte, error)

	// Create, Update and Restore return the new revision.
	Create(ctx context.Context, d ruleset.Draft) (rev int, err error)
	Update(ctx context.Context, name ruleset.Name, p ruleset.Patch) (rev int, err error)
	Restore(ctx context.Context, name ruleset.Name, rev int, by ruleset.By) (int, error)
	Delete(ctx context.Context, name ruleset.Name, removal ruleset.Removal) error
	MoveLabel(ctx context.Context, name ruleset.Name, m ruleset.LabelMove) (ruleset.LabelMove, error)
	Apply(ctx context.Context, b rulesets.ChangeSet, progress func(done, total int)) (rulesets.Applied, error)

	// Propose records changes for review, and returns the number of the proposal.
	Propose(ctx context.Context, set rulesets.ChangeSet) (number int, err error)
	Proposals(ctx context.Context, state string) ([]rulesets.ProposalInfo, error)
	ShowProposal(ctx context.Context, number int) (rulesets.ProposalInfo, error)
	// Review decides on a proposal. The server decides who may move protected labels; admin
	// permits it in a store.
	Review(ctx context.Context, r rulesets.Review, message string, admin bool) (rulesets.Applied, error)
}

// readingFlags registers the settings of a command that reads a rulebook.
func (b books) readingFlags(set *pflag.FlagSet) {
	b.app.RemoteFlags(set)
	b.storeFlags(set)
	b.app.NoAuditFlag(set)
}

// writingFlags registers the settings of a command that changes a rulebook.
func (b books) writingFlags(set *pflag.FlagSet) {
	b.readingFlags(set)
	command.InGroup(set, command.GroupRulesets, b.app.RulesetsConfig().RegisterWriting)
}

// storeFlags registers the settings of a command that reads the rulesets of a store.
func (b books) storeFlags(set *pflag.FlagSet) {
	b.app.DataFlags(set)
	b.app.StoreFlags(set)
	if set.Lookup("label") == nil { // else the command reads labelled revisions itself
		command.InGroup(set, command.GroupRulesets, b.app.RulesetsConfig().RegisterReading)
	}
}

// withRulebook runs a function with the rulesets of the server or of the store that
// the flags and the environment name.
func (b books) withRulebook(ctx context.Context, use func(rulebook) error) error {
	if b.app.Flags.Remote.URL != "" && b.app.Flags.Store != "" {
		return cmderr.UsageErrorf("give --url or --store, not both")
	}
	if b.app.Flags.Store == "" { // which is more particular than TRIPTYCH_URL
		r, err := b.app.DialRemote()
		if err != nil {
			return err
		}
		if r != nil {
			return storeHint(app.WithReachHint(use(rulesclient.New(r.Endpoint, buildinfo.Read().Version))))
		}
	}
	return b.withStore(ctx, func(store ruleset.Store) error {
		seen, err := b.app.RulesetsConfig().View(store, b.app.Getenv)
		if err != nil {
			return cmderr.UsageErrorf("%v", err)
		}
		book := &recordedRulebook{rulebook: storeRulebook{seen, b.labelRules()}, app: b.app}
		defer book.end()
		return use(book)
	})
}

// withStore runs a function with the store that the flags and the environment
// name, and closes it.
func (b books) withStore(ctx context.Context, use func(ruleset.Store) error) error {
	store, err := b.app.OpenStore(ctx)
	if err != nil {
		return err
	}
	return errors.Join(storeHint(use(store)), store.Close())
}

// storeHint adds advice to an error of a rulebook.
func storeHint(err error) error {
	if _, ok := errors.AsType[*ruleset.NotFoundError](err); ok {
		return cmderr.WithHints(err, "triptych rulesets list shows what there is")
	}
	if _, ok := errors.AsType[*ruleset.InvalidNameError](err); ok {
		return cmderr.WithHints(cmderr.UsageErrorf("%v", err), "a name looks like python_style_guide")
	}
	return err
}

// A storeRulebook is a rulebook in a store.
type storeRulebook struct {
	ruleset.Store
	labels rulesets.LabelRules
}

func (b storeRulebook) List(ctx context.Context) ([]ruleset.Meta, error) {
	metas, _, err := b.Store.List(ctx, ruleset.Page{})
	return metas, err
}

func (b storeRulebook) Search(ctx context.Context, pattern string) ([]ruleset.Meta, error) {
	return ruleset.Search(ctx, b.Store, pattern)
}

func (b storeRulebook) Create(ctx context.Context, d ruleset.Draft) (int, error) {
	r, err := ruleset.Create(ctx, b.Store, d)
	return r.Rev, err
}

func (b storeRulebook) Update(ctx context.Context, name ruleset.Name, p ruleset.Patch) (int, error) {
	r, err := ruleset.Update(ctx, b.Store, name, p)
	return r.Rev, err
}

func (b storeRulebook) Delete(ctx context.Context, name ruleset.Name, removal ruleset.Removal) error {
	return ruleset.Delete(ctx, b.Store, name, removal)
}

// ReadFile returns the bytes of a file that a ruleset has.
func (b storeRulebook) ReadFile(ctx context.Context, name ruleset.Name, file ruleset.File) ([]byte, error) {
	files, ok := ruleset.FilesOf(b.Store)
	if !ok {
		return nil, &ruleset.NoFileError{Name: name, Path: file.Path}
	}
	return files.ReadRevised(ctx, name, file)
}

// Compare implements [rulebook].
func (b storeRulebook) Compare(ctx context.Context, name ruleset.Name, from, to int) (rulesets.Comparison, error) {
	history, err := b.History(ctx, name)
	if err != nil {
		return rulesets.Comparison{}, err
	}
	var ends [2]ruleset.Revision
	for i, number := range []int{from, to} {
		at := slices.IndexFunc(history, func(r ruleset.Revision) bool { return r.Number == number })
		if at < 0 {
			return rulesets.Comparison{}, &ruleset.NoRevisionError{Name: name, Number: number, Last: history[0].Number}
		}
		ends[i] = history[at]
	}
	return rulesets.Compare(ends[0], ends[1], rulesets.ContentsOf(ctx, b.Store)), nil
}

// Apply implements [rulebook].
func (b storeRulebook) Apply(ctx context.Context, set rulesets.ChangeSet, progress func(done, total int)) (rulesets.Applied, error) {
	p := rulesets.Planner{Store: b.Store, Labels: b.labels, By: byCommand(set.Message), Admin: set.Admin}
	return p.Apply(ctx, set, progress)
}

// MoveLabel implements [rulebook].
func (b storeRulebook) MoveLabel(ctx context.Context, name ruleset.Name, m ruleset.LabelMove) (ruleset.LabelMove, error) {
	m, err := b.labels.Check(ctx, b.Store, name, m)
	if err != nil {
		return m, err
	}
	return ruleset.MoveLabel(ctx, b.Store, name, m)
}

// Propose implements [rulebook].
func (b storeRulebook) Propose(ctx context.Context, set rulesets.ChangeSet) (int, error) {
	p := rulesets.Planner{Store: b.Store, Labels: b.labels, By: byCommand(set.Message)}
	return p.Propose(ctx, set.Changes)
}

// Proposals implements [rulebook].
func (b storeRulebook) Proposals(ctx context.Context, state string) ([]rulesets.ProposalInfo, error) {
	return rulesets.ProposalInfos(ctx, b.Store, state, nil)
}

// ShowProposal implements [rulebook].
func (b storeRulebook) ShowProposal(ctx context.Context, number int) (rulesets.ProposalInfo, error) {
	return rulesets.ShowProposal(ctx, b.Store, number, nil)
}

// Review implements [rulebook].
func (b storeRulebook) Review(ctx context.Context, r rulesets.Review, message string, admin bool) (rulesets.Applied, error) {
	p := rulesets.Planner{Store: b.Store, Labels: b.labels, By: byCommand(message), Admin: admin}
	return p.Review(ctx, r)
}

// Restore fails if the ruleset is changed meanwhile.
func (b storeRulebook) Restore(ctx context.Context, name ruleset.Name, rev int, by ruleset.By) (int, error) {
	history, err := b.History(ctx, name)
	if err != nil {
		return 0, err
	}
	ifRev := history[0].Number
	if history[0].Deleted {
		ifRev = 0
	}
	r, err := rulesets.Restore(ctx, b.Store, name, rev, ifRev, by)
	return r.Rev, err
}
