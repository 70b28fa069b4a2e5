package rulesetscmd

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

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulefiles"
	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/mcp/plain"
	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A transfer is one run of import or export: what the flags say, and the
// count of each outcome for the summary.
type transfer struct {
	dry, overwrite bool
	counts         map[string]int
	sources        map[ruleset.Name]string // the files that were imported, by name
	repositories   []*repository           // that files are imported from
}

// outcomes lists the outcomes of files and changes, in the order of the summary.
var outcomes = []string{"created", "updated", "restored", "deleted", "labelled", "written", "unchanged", "skipped", "left", "failed"}

// flags returns the flags of a run, with the settings that it reads.
func (t *transfer) flags(settings func(*pflag.FlagSet)) func(*pflag.FlagSet) {
	return func(set *pflag.FlagSet) {
		set.BoolVar(&t.dry, "dry-run", false, "only say what would be done")
		set.BoolVar(&t.overwrite, "overwrite", false, "replace what is there and differs")
		settings(set)
	}
}

// note prints an outcome and counts it.
func note(out *cmdio.IO, t *transfer, outcome, from, to string) error {
	t.counts[outcome]++
	return out.Printf("%-9s %s -> %s\n", outcome, plain.Line(from), plain.Line(to))
}

// summarize prints the counts; a failure is the exit status.
func summarize(out *cmdio.IO, t *transfer) error {
	if err := out.Printf("%s\n", countsText(t.counts, t.dry)); err != nil {
		return err
	}
	if n := t.counts["failed"]; n > 0 {
		return fmt.Errorf("%d of the files failed", n)
	}
	return nil
}

// countsText counts the outcomes for people.
func countsText(counts map[string]int, dry bool) string {
	var parts []string
	for _, outcome := range outcomes {
		if n := counts[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	text := "nothing to do"
	if len(parts) > 0 {
		text = strings.Join(parts, ", ")
	}
	if dry {
		text += " (dry run, nothing was changed)"
	}
	return text
}

func (a commands) rulesetsImport() command.Command {
	t := &transfer{}
	var local bool
	return command.Command{
		Name: "import", Args: "DIR|FILE|URL#PATH...", Min: 1, Max: command.AnyNumber,
		Short: "make rulesets of Markdown files",
		Long: "Folders are searched for Markdown and for the files of clients, which are read by\n" +
			"their kind and place (docs/editors.md): commands become prompts, a folder with a\n" +
			"SKILL.md becomes a skill with its files, and rules below the root of a project\n" +
			"become rules for their folder. Agents, modes, personal files, files that git\n" +
			"ignores and documents for people are left, unless they are named. In a project,\n" +
			"which git knows or which has rule files of a client, other Markdown is left, too:\n" +
			"name its folder to import it. Links to one file are one file.\n\n" +
			"Front matter may give name, description, tags, created_at and last_modified; its\n" +
			"other keys are kept as they are. A missing name is made of the file's name, a\n" +
			"missing description of the first heading or sentence. Rulesets that exist and\n" +
			"differ are skipped unless --overwrite is given. The output says of each file what\n" +
			"it became, or why it was left. Files are stored a hundred at a time; one that\n" +
			"fails leaves the others.\n\n" +
			"URL#PATH is a file or folder of a git repository, over https or ssh. Nothing of it\n" +
			"is checked out or run, and its links and submodules are left. The history has the\n" +
			"URL, the path and the commit; triptych rulesets update brings what changes there.",
		Example: "triptych rulesets import ~/notes/rules --dry-run\ntriptych rulesets import .\n" +
			"triptych rulesets import https://github.com/anthropics/skills#skills/pdf",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&local, "allow-file", false, "take file:// URLs of repositories, too")
			t.flags(a.writingFlags)(set)
		},
		Run: func(ctx context.Context, args []string) error {
			t.counts, t.sources = map[string]int{}, map[ruleset.Name]string{}
			args, err := t.fetch(ctx, args, local)
			defer t.closeRepositories()
			if err != nil {
				return err
			}
			found, err := rulefiles.Find(args, a.home())
			if err != nil {
				return err
			}
			t.addRepositories(&found)
			return a.withRulebook(ctx, func(book rulebook) error {
				if err := importAll(ctx, a.IO, book, t, found.Files); err != nil {
					return err
				}
				return errors.Join(printLeft(a.IO, t, found), summarize(a.IO, t))
			})
		},
	}
}

// home returns the user's folder, "" if it has none.
func (b books) home() string {
	if dir := b.app.Getenv("HOME"); dir != "" {
		return dir
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}

// printLeft lists what import did not read.
func printLeft(out *cmdio.IO, t *transfer, found rulefiles.Found) error {
	var errs []error
	for _, left := range found.Left {
		errs = append(errs, note(out, t, "left", t.shown(left.Path), left.Reason))
	}
	return errors.Join(errs...)
}

func readDraft(out *cmdio.IO, f rulefiles.File) (ruleset.Draft, []string, error) {
	path := f.Path
	text, err := readText(out, []string{path})
	if err != nil {
		return ruleset.Draft{}, nil, err
	}
	draft, notes, err := rulefiles.Draft(f, text)
	if err != nil {
		return draft, notes, err
	}
	files, left, err := rulefiles.Attachments(path)
	draft.Files = files
	return draft, append(notes, left...), err
}

// claimFor gives a draft a name that no other file of this run has.
func (t *transfer) claimFor(file rulefiles.File, draft ruleset.Draft) (ruleset.Draft, error) {
	name, err := t.claim(file.Path, draft.Name)
	if err != nil || name == draft.Name {
		return draft, err
	}
	return rulefiles.Rename(draft, file, name)
}

// claim returns a name that no other file of this run has: the file's own, or one
// with its folder before it.
func (t *transfer) claim(path string, name ruleset.Name) (ruleset.Name, error) {
	for _, candidate := range append([]ruleset.Name{name}, rulefiles.Qualified(path, name)...) {
		if t.sources[candidate] == "" {
			t.sources[candidate] = path
			return candidate, nil
		}
	}
	return "", fmt.Errorf("%s is the ruleset of this name already", t.sources[name])
}

func (a commands) rulesetsExport() command.Command {
	t := &transfer{}
	return command.Command{
		Name: "export", Args: "DIR", Min: 1, Max: 1,
		Short: "write all rulesets as Markdown files",
		Long: "Each becomes NAME.md with description, tags, times and all other keys as front\n" +
			"matter, so that import makes the same ruleset of it elsewhere. One with files, and\n" +
			"a skill that was imported, becomes the folder NAME with hyphens, its text SKILL.md;\n" +
			"the SKILL.md of an imported skill is written byte for byte. Files that\n" +
			"exist and differ are skipped unless --overwrite is given; no other file is\n" +
			"touched. A file that is written has the time of its ruleset's last change.",
		Flags: t.flags(a.readingFlags),
		Run: func(ctx context.Context, args []string) error {
			t.counts = map[string]int{}
			return a.withRulebook(ctx, func(book rulebook) error {
				metas, err := book.List(ctx)
				if err != nil {
					return err
				}
				for _, m := range metas {
					if err := exportOne(ctx, a.IO, book, t, m.Name, args[0]); err != nil {
						return err
					}
				}
				return summarize(a.IO, t)
			})
		},
	}
}

func exportOne(ctx context.Context, out *cmdio.IO, book rulebook, t *transfer, name ruleset.Name, dir string) error {
	path := filepath.Join(dir, string(name)+".md")
	r, err := book.Get(ctx, name)
	if _, isSkill := exportedSkill(r); len(r.Files) > 0 || isSkill {
		path = filepath.Join(dir, name.Slug(), ruleset.MainFile)
	}
	if _, gone := errors.AsType[*ruleset.NotFoundError](err); gone {
		return nil // deleted since the list was made
	}
	var outcome string
	if err == nil {
		outcome, err = t.write(ctx, book, path, r)
	}
	if err != nil {
		return errors.Join(note(out, t, "failed", string(name), err.Error()), ctx.Err())
	}
	return note(out, t, outcome, string(name), path)
}

// exportedSkill returns the SKILL.md that a ruleset was imported from, unless it has tags,
// which the file does not.
func exportedSkill(r ruleset.Ruleset) (text []byte, ok bool) {
	if len(r.Tags) > 0 {
		return nil, false
	}
	return editors.SkillText(r)
}

// write makes the file have the ruleset, or says why it was left alone.
func (t *transfer) write(ctx context.Context, book rulebook, path string, r ruleset.Ruleset) (outcome string, err error) {
	text, isSkill := exportedSkill(r)
	if !isSkill {
		if text, err = rulefiles.Portable(r); err != nil {
			return "", err
		}
	}
	present, _, err := rulefiles.Attachments(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	old, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(old, text) && ruleset.SameFiles(ruleset.ChangedFiles(nil, present), r.Files):
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
	if err := writeAttachments(ctx, book, filepath.Dir(path), r); err != nil {
		return "", err
	}
	if err := atomicfile.Write(path, text, 0o644); err != nil {
		return "", err
	}
	return "written", os.Chtimes(path, time.Time{}, r.LastModified)
}

// writeAttachments writes the files of a ruleset into a folder.
func writeAttachments(ctx context.Context, book rulebook, dir string, r ruleset.Ruleset) error {
	for _, f := range r.Files {
		data, err := book.ReadFile(ctx, r.Name, f)
		if err != nil {
			return err
		}
		if err := rulefiles.WriteFile(dir, ruleset.FileChange{Path: f.Path, Data: data}); err != nil {
			return err
		}
	}
	return nil
}
