package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An Adoption is a file that became a ruleset.
type Adoption struct {
	Path string
	Name ruleset.Name
	// Written reports whether the selection file has pull write the file from now on.
	// Else the file stays as it is, and out of the lock.
	Written bool
	Err     error // the reason why it did not become one
}

// Strangers returns the rule files in the folders of clients that are neither in the
// plan nor in the lock, sorted.
func (p *Project) Strangers(plan Plan, clients []*editors.Client) ([]string, error) {
	known := map[string]bool{}
	for _, i := range plan.Items {
		known[i.Path] = i.State != Foreign
	}
	var found []string
	seen := map[string]bool{}
	for _, c := range clients {
		for _, folder := range c.Dirs() {
			if seen[folder] {
				continue
			}
			seen[folder] = true
			dir, err := p.disk.dir(folder)
			if _, linked := errors.AsType[*LinkError](err); linked || err == nil && dir == nil {
				continue
			}
			if err != nil {
				return nil, err
			}
			err = fs.WalkDir(dir.FS(), ".", func(name string, d fs.DirEntry, err error) error {
				file := path.Join(folder, name)
				if err == nil && d.Type().IsRegular() && !known[file] && editors.PlaceOf(file).Owned() {
					found = append(found, file)
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Adopt makes rulesets of files. A file in the place of another ruleset's becomes a
// ruleset of another name, and may be replaced then. The text of a shared file moves
// into its block, in which the new ruleset stands after the next pull. A file that the
// selection file does not have written stays a stranger: an entry in the lock would make
// it an orphan, which pull removes.
func (p *Project) Adopt(ctx context.Context, source Source, files []string) (done []Adoption, err error) {
	sums := map[string]string{}
	for _, file := range files {
		data, exists, err := p.disk.read(file)
		switch {
		case err != nil:
			return done, err
		case !exists:
			return done, fmt.Errorf("%s does not exist", file)
		}
		a := Adoption{Path: file}
		if editors.PlaceOf(file).Owned() {
			a.Name, a.Err = p.adoptOwn(ctx, source, file, data)
		} else {
			a.Name, a.Err = p.adoptShared(ctx, source, file, data)
		}
		done = append(done, a)
		sums[file] = Sum(data)
	}
	return done, p.lockAdopted(ctx, source, done, sums)
}

// lockAdopted adds the rule files that pull writes from now on to the lock.
func (p *Project) lockAdopted(ctx context.Context, source Source, done []Adoption, sums map[string]string) error {
	all, _, err := Select(ctx, source, p.saved)
	if err != nil {
		return err
	}
	plan, err := p.Plan(all, nil)
	if err != nil {
		return err
	}
	paths, names := map[string]bool{}, map[ruleset.Name]bool{}
	for _, i := range plan.Items {
		paths[i.Path] = i.Content != nil
		for _, part := range i.Parts {
			names[part.Name] = true
		}
	}
	entries := p.Lock.byPath()
	for i := range done {
		a := &done[i]
		a.Written = a.Err == nil && paths[a.Path] && names[a.Name]
		switch {
		case a.Err != nil || !editors.PlaceOf(a.Path).Owned():
		case a.Written:
			entries[a.Path] = Entry{Path: a.Path, Sum: sums[a.Path], Found: true}
		default:
			delete(entries, a.Path)
		}
	}
	return p.writeLock(entries)
}

// adoptOwn makes a ruleset of the file of a rule, a prompt or a skill.
func (p *Project) adoptOwn(ctx context.Context, source Source, file string, data []byte) (ruleset.Name, error) {
	rule, err := editors.Import(editors.PlaceOf(file), data)
	if err != nil {
		return "", err
	}
	fresh, err := rule.Update(ruleset.Ruleset{})
	if err != nil {
		return "", err
	}
	name, err := createFree(ctx, source, fresh, file)
	if err != nil || !rule.IsSkill {
		return name, err
	}
	return name, p.adoptFiles(ctx, source, name, path.Dir(file))
}

// adoptFiles stores the files beside a SKILL.md.
func (p *Project) adoptFiles(ctx context.Context, source Source, name ruleset.Name, folder string) error {
	dir, err := p.disk.dir(folder)
	if err != nil || dir == nil {
		return err
	}
	return fs.WalkDir(dir.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || file == ruleset.MainFile || ruleset.CheckFilePath(file) != nil {
			return err
		}
		data, _, err := p.disk.read(path.Join(folder, file))
		if err != nil {
			return err
		}
		return source.ChangeFile(ctx, name, editors.Attachment{Path: file, Data: data})
	})
}

// Settle pulls the files that became rulesets, and no others.
func (p *Project) Settle(plan Plan, done []Adoption) (Report, error) {
	var own []Item
	for _, i := range plan.Items {
		if slices.ContainsFunc(done, func(a Adoption) bool { return a.Err == nil && a.Path == i.Path }) {
			own = append(own, i)
		}
	}
	return p.Apply(Plan{Items: own}, Stop)
}

// IsBlock reports whether a shared file was written as a block.
func (p *Project) IsBlock(file string) bool {
	entry := p.Lock.byPath()[file]
	return entry.Path != "" && entry.Shared
}

// createFree creates a ruleset under its name, or under one with a number where
// another one has it. The same content is not stored twice.
func createFree(ctx context.Context, source Source, fresh ruleset.Ruleset, file string) (ruleset.Name, error) {
	wanted := fresh.Name
	for n := 2; n < 100; n++ {
		_, err := source.Create(ctx, fresh, "adopted from "+path.Base(file))
		if _, taken := errors.AsType[*ruleset.ExistsError](err); !taken {
			return fresh.Name, err
		}
		old, err := source.Get(ctx, fresh.Name, "")
		if err == nil && sameContent(old, fresh) {
			return fresh.Name, nil
		}
		if fresh, err = editors.KeepPlace(fresh, editors.PlaceOf(file)); err != nil {
			return "", err
		}
		fresh.Name = wanted + ruleset.Name("_"+strconv.Itoa(n))
	}
	return "", fmt.Errorf("there are too many rulesets named %s", wanted)
}

// sameContent reports whether a ruleset has the content of a file. A file that names no
// tags says nothing about them.
func sameContent(old, file ruleset.Ruleset) bool {
	return old.Markdown == file.Markdown && old.Extra == file.Extra && old.Description == file.Description &&
		(file.Tags == nil || slices.Equal(old.Tags, file.Tags))
}

// adoptShared makes a ruleset of the text around the block of a shared file. The file is
// the ruleset then; one with front matter gets it as a section of its block.
func (p *Project) adoptShared(ctx context.Context, source Source, file string, data []byte) (ruleset.Name, error) {
	if place := editors.PlaceOf(file); place.Use == editors.SharedFile {
		if rule, err := editors.Import(place, data); err == nil {
			fresh, err := rule.Update(ruleset.Ruleset{})
			if err != nil {
				return "", err
			}
			return createFree(ctx, source, fresh, file)
		}
	}
	block, err := editors.SplitBlock(data)
	if err != nil {
		return "", err
	}
	text := strings.TrimPrefix(strings.ReplaceAll(block.Before+block.After, "\r\n", "\n"), "\ufeff")
	if strings.TrimSpace(text) == "" {
		return "", errors.New("it has no text of its own")
	}
	name, err := ruleset.ParseName(editors.Snake(strings.TrimSuffix(file, path.Ext(file))))
	if err != nil {
		return "", err
	}
	fresh := ruleset.Ruleset{Meta: ruleset.Meta{Name: name, Description: editors.Describe(text)}, Markdown: text}
	if dir := path.Dir(file); dir != "." {
		fresh.Extra = "globs:\n  - " + strconv.Quote(dir+"/**") + "\n"
	}
	return createFree(ctx, source, fresh, file)
}

// DropText removes the text around the block of a shared file, which must be that of
// a ruleset in the block.
func (p *Project) DropText(file string, adopted ruleset.Ruleset) error {
	data, _, err := p.disk.read(file)
	if err != nil {
		return err
	}
	block, err := editors.SplitBlock(data)
	if err != nil {
		return err
	}
	text := strings.TrimPrefix(strings.ReplaceAll(block.Before+block.After, "\r\n", "\n"), "\ufeff")
	has := slices.ContainsFunc(block.Sections, func(s editors.Section) bool { return s.Name == adopted.Name })
	if !has || text != adopted.Markdown {
		return fmt.Errorf("%s: ruleset '%s' is not in its block, so that its text stays: select it for this file", file, adopted.Name)
	}
	return p.disk.write(file, editors.Block{}.Join(block.Text))
}
