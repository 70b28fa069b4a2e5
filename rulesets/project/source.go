package project

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Source has the rulesets of a project: a store, or a server.
type Source interface {
	// List returns the rulesets without their texts.
	List(ctx context.Context) ([]ruleset.Meta, error)
	// GetAll returns the rulesets of a list, in its order, at a label or the newest
	// where it is empty. Those that were deleted meanwhile are left out, and so are
	// those without the label, which it returns by name.
	GetAll(ctx context.Context, metas []ruleset.Meta, label ruleset.Label) (all []ruleset.Ruleset, unlabelled []ruleset.Name, err error)
	// Get returns a ruleset at a label or the number of a revision, or the newest
	// where at is empty. Errors: [*ruleset.NotFoundError], [*ruleset.NoLabelError],
	// [*ruleset.NoRevisionError].
	Get(ctx context.Context, name ruleset.Name, at string) (ruleset.Ruleset, error)
	// Update replaces the content of a ruleset that is at revision ifRev, else it
	// fails with a [*ruleset.ConflictError].
	Update(ctx context.Context, fresh ruleset.Ruleset, ifRev int, message string) (ruleset.Ruleset, error)
	// Create stores a new ruleset, or fails with an [*ruleset.ExistsError].
	Create(ctx context.Context, fresh ruleset.Ruleset, message string) (ruleset.Ruleset, error)
	// Files returns the files of a skill beside its text, by path.
	Files(ctx context.Context, name ruleset.Name) ([]editors.Attachment, error)
	// ChangeFile replaces a file of a skill.
	ChangeFile(ctx context.Context, name ruleset.Name, file editors.Attachment) error
	// Watch calls changed after each change, until ctx is done.
	Watch(ctx context.Context, changed func()) error
}

// A Set has rulesets, and the files of the skills among them.
type Set struct {
	Rulesets []ruleset.Ruleset
	Files    map[ruleset.Name][]editors.Attachment
}

// addFiles reads the files of the skills in a set. They have no revisions.
func (s *Set) addFiles(ctx context.Context, source Source) error {
	for _, r := range s.Rulesets {
		isSkill := false
		if strings.Contains(r.Extra, "skill") { // reading the front matter of all would take long
			fields, _ := frontmatter.Of(r)
			isSkill = fields.Skill != nil
		}
		if !isSkill && len(r.Files) == 0 {
			continue
		}
		files, err := source.Files(ctx, r.Name)
		if err != nil {
			return err
		}
		if len(files) > 0 {
			s.addAttachments(r.Name, files)
		}
	}
	return nil
}

func (s *Set) addAttachments(name ruleset.Name, files []editors.Attachment) {
	if s.Files == nil {
		s.Files = map[ruleset.Name][]editors.Attachment{}
	}
	s.Files[name] = files
}

// Select returns the rulesets of a selection, and warnings for those that do not have
// its label.
func Select(ctx context.Context, source Source, s Selection) (all Set, warnings []string, err error) {
	all, warnings, err = selectWhere(ctx, source, s.Label, s.Selects)
	if err == nil && len(s.Select) > 0 && len(all.Rulesets) == 0 && len(warnings) == 0 {
		warnings = append(warnings, "no ruleset matches select: "+strings.Join(s.Select, ", "))
	}
	return all, warnings, err
}

func selectWhere(ctx context.Context, source Source, label string, selects func(ruleset.Meta) bool) (all Set, warnings []string, err error) {
	metas, err := source.List(ctx)
	if err != nil {
		return all, nil, err
	}
	metas = slices.DeleteFunc(metas, func(m ruleset.Meta) bool { return !selects(m) })
	found, unlabelled, err := source.GetAll(ctx, metas, ruleset.Label(label))
	if err != nil {
		return all, nil, err
	}
	for _, name := range unlabelled {
		missing := &ruleset.NoLabelError{Name: name, Label: ruleset.Label(label)}
		warnings = append(warnings, missing.Error()+": it is not pulled")
	}
	all.Rulesets = found
	return all, warnings, all.addFiles(ctx, source)
}

// Locked returns the rulesets at the revisions of a lock.
func Locked(ctx context.Context, source Source, l Lock) (all Set, err error) {
	revs := l.Revisions()
	for _, name := range sortedKeys(revs) {
		r, err := source.Get(ctx, name, strconv.Itoa(revs[name]))
		if err != nil {
			return all, err
		}
		all.Rulesets = append(all.Rulesets, r)
	}
	return all, all.addFiles(ctx, source)
}

// FromStore returns a store as a source. by is the author of changes.
func FromStore(store ruleset.Store, by ruleset.By) Source { return &storeSource{store, by} }

type storeSource struct {
	store ruleset.Store
	by    ruleset.By
}

func (s *storeSource) List(ctx context.Context) ([]ruleset.Meta, error) {
	metas, _, err := s.store.List(ctx, ruleset.Page{})
	return metas, err
}

func (s *storeSource) GetAll(ctx context.Context, metas []ruleset.Meta, label ruleset.Label) (all []ruleset.Ruleset, unlabelled []ruleset.Name, err error) {
	for _, m := range metas {
		r, err := s.Get(ctx, m.Name, string(label))
		_, gone := errors.AsType[*ruleset.NotFoundError](err)
		_, missing := errors.AsType[*ruleset.NoLabelError](err)
		switch {
		case gone:
		case missing:
			unlabelled = append(unlabelled, m.Name)
		case err != nil:
			return nil, nil, err
		default:
			all = append(all, r)
		}
	}
	return all, unlabelled, nil
}

func (s *storeSource) Get(ctx context.Context, name ruleset.Name, at string) (ruleset.Ruleset, error) {
	current, err := s.store.Get(ctx, name)
	_, deleted := errors.AsType[*ruleset.NotFoundError](err)
	if err != nil && (!deleted || at == "") {
		return current, err
	}
	if at == "" {
		return current, nil
	}
	rev, numErr := strconv.Atoi(at)
	if numErr != nil {
		moves, err := s.store.LabelMoves(ctx, name)
		if err != nil {
			return current, err
		}
		if rev = ruleset.Labels(moves)[ruleset.Label(at)]; rev == 0 {
			return current, &ruleset.NoLabelError{Name: name, Label: ruleset.Label(at)}
		}
	}
	if rev == current.Rev && !deleted {
		return current, nil
	}
	return s.revision(ctx, name, rev, current)
}

// revision returns a revision from the history.
func (s *storeSource) revision(ctx context.Context, name ruleset.Name, rev int, current ruleset.Ruleset) (ruleset.Ruleset, error) {
	history, err := s.store.History(ctx, name)
	if err != nil {
		return current, err
	}
	for _, r := range history {
		if r.Number == rev && !r.Deleted {
			old := r.Content
			old.Name, old.Rev, old.CreatedAt, old.LastModified, old.Layer = name, rev, current.CreatedAt, r.At, current.Layer
			return old, nil
		}
	}
	if len(history) == 0 {
		return current, &ruleset.NotFoundError{Name: name}
	}
	return current, &ruleset.NoRevisionError{Name: name, Number: rev, Last: history[0].Number}
}

func (s *storeSource) Update(ctx context.Context, fresh ruleset.Ruleset, ifRev int, message string) (ruleset.Ruleset, error) {
	by := s.by
	by.Message = message
	return ruleset.Update(ctx, s.store, fresh.Name, ruleset.Patch{
		Description: &fresh.Description, Markdown: &fresh.Markdown, Extra: &fresh.Extra, IfRev: ifRev, By: by,
	})
}

func (s *storeSource) Create(ctx context.Context, fresh ruleset.Ruleset, message string) (ruleset.Ruleset, error) {
	by := s.by
	by.Message = message
	return ruleset.Create(ctx, s.store, ruleset.Draft{
		Name: fresh.Name, Description: fresh.Description, Tags: fresh.Tags, Markdown: fresh.Markdown, Extra: fresh.Extra, By: by,
	})
}

func (s *storeSource) Files(ctx context.Context, name ruleset.Name) (all []editors.Attachment, err error) {
	store, ok := ruleset.FilesOf(s.store)
	if !ok {
		return nil, nil
	}
	files, err := store.Files(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("the files of ruleset '%s': %w", name, err)
	}
	for _, f := range files {
		if f.Path == ruleset.MainFile {
			continue
		}
		data, err := store.ReadFile(ctx, name, f.Path)
		if err != nil {
			return nil, err
		}
		all = append(all, editors.Attachment{Path: f.Path, Data: append([]byte{}, data...)}) // an empty one is not nil
	}
	return all, nil
}

func (s *storeSource) ChangeFile(ctx context.Context, name ruleset.Name, file editors.Attachment) error {
	change := ruleset.FileChange{Path: file.Path, Data: append([]byte{}, file.Data...)} // an empty one is not nil
	_, err := ruleset.Update(ctx, s.store, name, ruleset.Patch{Files: []ruleset.FileChange{change}, By: s.by})
	return err
}

func (s *storeSource) Watch(ctx context.Context, changed func()) error {
	return s.store.Watch(ctx, func(ruleset.Change) { changed() })
}
