package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/atomicfile"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A transfer is one run of import or export: what the flags say, and the
// count of each outcome for the summary.
type transfer struct {
	dry, overwrite bool
	counts         map[string]int
}

// outcomes are what can become of a file, in the order of the summary.
var outcomes = []string{"created", "updated", "written", "unchanged", "skipped", "failed"}

func (t *transfer) flags(a *app) func(*pflag.FlagSet) {
	return func(set *pflag.FlagSet) {
		set.BoolVar(&t.dry, "dry-run", false, "only say what would be done")
		set.BoolVar(&t.overwrite, "overwrite", false, "replace what is there and differs")
		a.familyFlags("rulesets")(set)
	}
}

// note prints an outcome and counts it.
func (a *app) note(t *transfer, outcome, from, to string) error {
	t.counts[outcome]++
	return a.printf("%-9s %s -> %s\n", outcome, oneLine(from), oneLine(to))
}

// summarize prints the counts; a failure is the exit status.
func (a *app) summarize(t *transfer) error {
	var parts []string
	for _, outcome := range outcomes {
		if n := t.counts[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	text := "nothing to do"
	if len(parts) > 0 {
		text = strings.Join(parts, ", ")
	}
	if t.dry {
		text += " (dry run, nothing was changed)"
	}
	if err := a.printf("%s\n", text); err != nil {
		return err
	}
	if n := t.counts["failed"]; n > 0 {
		return fmt.Errorf("%d of the files failed", n)
	}
	return nil
}

func (a *app) rulesetsImport() command {
	t := &transfer{}
	return command{
		name: "import", args: "DIR|FILE...", min: 1, max: many,
		short: "make rulesets of Markdown files",
		long: "Front matter may give name, description and tags. A name that is not given is\n" +
			"made of the file's name. Folders are searched for *.md; hidden ones are passed\n" +
			"over. Rulesets that exist and differ are skipped unless --overwrite is given.",
		example: "triptych rulesets import ~/notes/rules --dry-run",
		flags:   t.flags(a),
		run: func(ctx context.Context, args []string) error {
			t.counts = map[string]int{}
			files, err := markdownFiles(args)
			if err != nil {
				return err
			}
			return a.withStore(ctx, func(store ruleset.Store) error {
				for _, path := range files {
					if err := a.importFile(ctx, store, t, path); err != nil {
						return err
					}
				}
				return a.summarize(t)
			})
		},
	}
}

// markdownFiles are the named files and the *.md files of the named folders.
func markdownFiles(paths []string) ([]string, error) {
	var files []string
	for _, root := range paths {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err // d may be nil
			}
			hidden := path != root && strings.HasPrefix(d.Name(), ".")
			switch {
			case d.IsDir() && hidden:
				return fs.SkipDir
			case !d.IsDir() && !hidden && (path == root || strings.EqualFold(filepath.Ext(path), ".md")):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// importFile imports one file and notes what became of it. The error is of the
// output or of ctx; what is wrong with the file is an outcome.
func (a *app) importFile(ctx context.Context, store ruleset.Store, t *transfer, path string) error {
	draft, err := a.readDraft(path)
	if err != nil {
		return a.note(t, "failed", path, err.Error())
	}
	outcome, err := t.put(ctx, store, draft)
	if err != nil {
		return errors.Join(a.note(t, "failed", path, err.Error()), ctx.Err())
	}
	return a.note(t, outcome, path, string(draft.Name))
}

// readDraft reads a file with or without front matter.
func (a *app) readDraft(path string) (ruleset.Draft, error) {
	text, err := a.readText([]string{path})
	if err != nil {
		return ruleset.Draft{}, err
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	f := front{}
	if strings.HasPrefix(plain, fence) {
		if f, plain, err = splitFront(plain); err != nil {
			return ruleset.Draft{}, err
		}
	}
	word := f.Name
	if word == "" {
		word = nameOf(path)
	}
	name, err := ruleset.ParseName(word)
	return ruleset.Draft{Name: name, Description: f.Description, Tags: f.Tags, Markdown: plain}, err
}

// nameOf makes a ruleset name of a file name: "Go Style.md" is go_style.
func nameOf(path string) string {
	base := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	words := strings.FieldsFunc(base, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "_")
}

// put makes the store have the draft, or says why it was left alone.
func (t *transfer) put(ctx context.Context, store ruleset.Store, draft ruleset.Draft) (outcome string, err error) {
	old, err := store.Get(ctx, draft.Name)
	if _, missing := errors.AsType[*ruleset.NotFoundError](err); missing {
		if !t.dry {
			_, err = store.Create(ctx, draft)
			return "created", err
		}
		return "created", nil
	}
	if err != nil {
		return "", err
	}
	fresh := old
	fresh.Description, fresh.Tags, fresh.Markdown = draft.Description, draft.Tags, draft.Markdown
	patch := difference(old, fresh)
	switch {
	case patch.Empty():
		return "unchanged", nil
	case !t.overwrite:
		return "skipped", nil
	case t.dry:
		return "updated", nil
	}
	_, err = store.Update(ctx, draft.Name, patch)
	return "updated", err
}

func (a *app) rulesetsExport() command {
	t := &transfer{}
	return command{
		name: "export", args: "DIR", min: 1, max: 1,
		short: "write all rulesets as Markdown files",
		long: "Each becomes NAME.md with its description and tags as front matter. Files that\n" +
			"exist and differ are skipped unless --overwrite is given; no other file is\n" +
			"touched. A file that is written has the time of its ruleset's last change.",
		flags: t.flags(a),
		run: func(ctx context.Context, args []string) error {
			t.counts = map[string]int{}
			return a.withStore(ctx, func(store ruleset.Store) error {
				metas, _, err := store.List(ctx, ruleset.Page{})
				if err != nil {
					return err
				}
				for _, m := range metas {
					if err := a.exportOne(ctx, store, t, m.Name, args[0]); err != nil {
						return err
					}
				}
				return a.summarize(t)
			})
		},
	}
}

func (a *app) exportOne(ctx context.Context, store ruleset.Store, t *transfer, name ruleset.Name, dir string) error {
	path := filepath.Join(dir, string(name)+".md")
	r, err := store.Get(ctx, name)
	if _, gone := errors.AsType[*ruleset.NotFoundError](err); gone {
		return nil // deleted since the list was made
	}
	var outcome string
	if err == nil {
		outcome, err = t.write(path, r)
	}
	if err != nil {
		return errors.Join(a.note(t, "failed", string(name), err.Error()), ctx.Err())
	}
	return a.note(t, outcome, string(name), path)
}

// write makes the file have the ruleset, or says why it was left alone.
func (t *transfer) write(path string, r ruleset.Ruleset) (outcome string, err error) {
	text, err := editable(r)
	if err != nil {
		return "", err
	}
	old, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(old, text):
		return "unchanged", nil
	case err == nil && !t.overwrite:
		return "skipped", nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	case t.dry:
		return "written", nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if err := atomicfile.Write(path, text, 0o644); err != nil {
		return "", err
	}
	return "written", os.Chtimes(path, time.Time{}, r.LastModified)
}
