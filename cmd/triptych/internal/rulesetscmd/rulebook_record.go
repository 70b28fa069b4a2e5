package rulesetscmd

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// commandMethod is the method of the records of commands, which are no requests.
const commandMethod = "command"

// A recordedRulebook records the changes of a rulebook in the audit trail, which is
// opened before the first change.
type recordedRulebook struct {
	rulebook
	app      *app.App
	recorder *recorder.Recorder // nil before the first change
	close    func()
}

// openTrail opens the trail; a change that could not be recorded is not made.
func (b *recordedRulebook) openTrail(ctx context.Context) error {
	if b.recorder != nil {
		return nil
	}
	env, err := b.app.Env(slog.LevelWarn)
	if err != nil {
		return err
	}
	r, closeRecorder, err := b.app.OpenRecorder(ctx, env, recorder.CommandChain())
	if err != nil {
		return err
	}
	if err := r.Open(); err != nil {
		closeRecorder()
		return cmderr.WithHints(err, "--no-audit changes it without a record")
	}
	r.RecordAtOnce()
	b.recorder, b.close = r, closeRecorder
	return nil
}

// end closes the trail if it was opened.
func (b *recordedRulebook) end() {
	if b.close != nil {
		b.close()
	}
}

// change makes a change and records it.
func (b *recordedRulebook) change(ctx context.Context, what string, make func() (map[string]string, error)) error {
	if err := b.openTrail(ctx); err != nil {
		return err
	}
	began := time.Now()
	details, err := make()
	if !b.recorder.Records() {
		return err
	}
	record := audit.Record{
		Time: b.app.Now(), Key: host.Local().ID, Method: commandMethod, Target: what, Outcome: audit.OK, Duration: time.Since(began), Details: details,
	}
	if err != nil {
		record.Outcome = audit.Failed
	}
	if recordErr := b.recorder.Append(recorder.ClassifiedRecord{Record: record, Change: true}); recordErr != nil {
		return recordErr
	}
	if recordErr := b.recorder.Commit(context.WithoutCancel(ctx)); recordErr != nil {
		return recordErr
	}
	return err
}

// revDetails names a ruleset and its revision in a record.
func revDetails(name ruleset.Name, rev int) map[string]string {
	details := map[string]string{"ruleset": string(name)}
	if rev != 0 {
		details["rev"] = strconv.Itoa(rev)
	}
	return details
}

// Create implements [rulebook].
func (b *recordedRulebook) Create(ctx context.Context, d ruleset.Draft) (rev int, err error) {
	err = b.change(ctx, "rulesets create", func() (map[string]string, error) {
		rev, err = b.rulebook.Create(ctx, d)
		return revDetails(d.Name, rev), err
	})
	return rev, err
}

// Update implements [rulebook].
func (b *recordedRulebook) Update(ctx context.Context, name ruleset.Name, p ruleset.Patch) (rev int, err error) {
	err = b.change(ctx, "rulesets update", func() (map[string]string, error) {
		rev, err = b.rulebook.Update(ctx, name, p)
		return revDetails(name, rev), err
	})
	return rev, err
}

// Restore implements [rulebook].
func (b *recordedRulebook) Restore(ctx context.Context, name ruleset.Name, rev int, by ruleset.By) (made int, err error) {
	err = b.change(ctx, "rulesets restore", func() (map[string]string, error) {
		made, err = b.rulebook.Restore(ctx, name, rev, by)
		details := revDetails(name, made)
		details["restores"] = strconv.Itoa(rev)
		return details, err
	})
	return made, err
}

// Delete implements [rulebook].
func (b *recordedRulebook) Delete(ctx context.Context, name ruleset.Name, removal ruleset.Removal) error {
	return b.change(ctx, "rulesets delete", func() (map[string]string, error) {
		return revDetails(name, 0), b.rulebook.Delete(ctx, name, removal)
	})
}

// MoveLabel implements [rulebook].
func (b *recordedRulebook) MoveLabel(ctx context.Context, name ruleset.Name, m ruleset.LabelMove) (moved ruleset.LabelMove, err error) {
	err = b.change(ctx, "rulesets label", func() (map[string]string, error) {
		moved, err = b.rulebook.MoveLabel(ctx, name, m)
		details := revDetails(name, 0)
		details["label"], details["from"], details["to"] = string(m.Label), strconv.Itoa(moved.From), strconv.Itoa(moved.To)
		return details, err
	})
	return moved, err
}

// Propose implements [rulebook].
func (b *recordedRulebook) Propose(ctx context.Context, set rulesets.ChangeSet) (number int, err error) {
	err = b.change(ctx, "rulesets propose", func() (map[string]string, error) {
		number, err = b.rulebook.Propose(ctx, set)
		return map[string]string{"proposal": strconv.Itoa(number)}, err
	})
	return number, err
}

// Review implements [rulebook].
func (b *recordedRulebook) Review(ctx context.Context, r rulesets.Review, message string, admin bool) (applied rulesets.Applied, err error) {
	if r.DryRun {
		return b.rulebook.Review(ctx, r, message, admin)
	}
	err = b.change(ctx, "rulesets "+r.Verb, func() (map[string]string, error) {
		applied, err = b.rulebook.Review(ctx, r, message, admin)
		return applied.Details(), err
	})
	return applied, err
}

// Apply implements [rulebook]. A dry run changes nothing and is not recorded.
func (b *recordedRulebook) Apply(ctx context.Context, set rulesets.ChangeSet, progress func(done, total int)) (applied rulesets.Applied, err error) {
	if set.DryRun {
		return b.rulebook.Apply(ctx, set, progress)
	}
	err = b.change(ctx, "rulesets apply", func() (map[string]string, error) {
		applied, err = b.rulebook.Apply(ctx, set, progress)
		return applied.Details(), err
	})
	return applied, err
}
