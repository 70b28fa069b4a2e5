package rulesetscmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulefiles"
	"github.com/triptych-mcp/triptych/rulesets/merge"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func (a commands) rulesetsEdit() command.Command {
	var e editing
	return command.Command{
		Name: "edit", Args: "NAME", Min: 1, Max: 1,
		Short: "edit a ruleset in your editor",
		Long: "Opens the program named by VISUAL or EDITOR with the front matter and the\n" +
			"Markdown, and stores what you saved. Nothing changes when you change nothing,\n" +
			"when the editor fails, or when the ruleset was changed in the meantime. Where\n" +
			"that change is of other lines than yours, you are asked whether to store both.",
		Flags: func(set *pflag.FlagSet) {
			messageFlag(set, &e.message)
			set.BoolVar(&e.merge, "merge", false, "store your change beside one of other lines that was made in the meantime, without asking")
			a.writingFlags(set)
		},
		Complete: a.completeRulesets,
		Run: func(ctx context.Context, args []string) error {
			return a.withRulebook(ctx, func(book rulebook) error {
				old, err := getNamed(ctx, book, args[0])
				if err != nil {
					return err
				}
				return a.edit(ctx, book, old, e)
			})
		},
	}
}

// editing has the flags of edit.
type editing struct {
	message string
	merge   bool // store both of two changes that can be merged
}

// edit lets a person change a ruleset. A text that cannot be stored stays in
// its file, so that no work is lost.
func (a commands) edit(ctx context.Context, book rulebook, old ruleset.Ruleset, e editing) error {
	dir, err := os.MkdirTemp("", "triptych-edit-")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, string(old.Name)+".md")
	changed, err := a.editFile(ctx, book, old, path, e)
	if err != nil {
		return cmderr.WithHints(err, append(conflictHints(err), "what you wrote is still in "+path)...)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if !changed {
		return a.Printf("%s is unchanged\n", old.Name)
	}
	return a.Printf("updated %s\n", old.Name)
}

// conflictHints is the advice for an error that says that a ruleset was changed.
func conflictHints(err error) []string {
	conflict, ok := errors.AsType[*ruleset.ConflictError](err)
	if !ok {
		return nil
	}
	return []string{fmt.Sprintf("triptych rulesets show --all %s prints it; run edit again and put your change in", conflict.Current.Name)}
}

func (a commands) editFile(ctx context.Context, book rulebook, old ruleset.Ruleset, path string, e editing) (changed bool, err error) {
	text, err := rulefiles.Editable(old)
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return false, err
	}
	if err := a.runEditor(ctx, path); err != nil {
		return false, err
	}
	if text, err = os.ReadFile(path); err != nil {
		return false, err
	}
	fresh, err := edited(text, old)
	if err != nil {
		return false, err
	}
	if difference(old, fresh).Empty() {
		return false, nil
	}
	err = storeEdited(ctx, a.IO, book, old, fresh, e)
	return err == nil, err
}

// maxMerges limits how often a change is merged with another one that came first.
const maxMerges = 5

// storeEdited stores a changed ruleset, with what others have changed in the meantime if
// the two changes can be merged and the person wants that.
func storeEdited(ctx context.Context, std *cmdio.IO, book rulebook, old, fresh ruleset.Ruleset, e editing) error {
	for merges := 0; ; merges++ {
		patch := difference(old, fresh)
		if patch.Empty() {
			return nil // others have made the same change
		}
		patch.Base, patch.By = &old, byCommand(e.message)
		_, err := book.Update(ctx, old.Name, patch)
		conflict, ok := errors.AsType[*ruleset.ConflictError](err)
		if !ok || merges == maxMerges {
			return err
		}
		merged, contested := merge.Rulesets(old, fresh, conflict.Current)
		if contested != "" {
			return cmderr.WithHints(err, "both changed the "+contested+" in the same place")
		}
		if !e.merge && !cmdio.IsTerminal(std.In) {
			return cmderr.WithHints(err, "the changes are of different lines: with --merge, edit stores both")
		}
		if !e.merge && !agrees(std, fmt.Sprintf("%v. The changes are of different lines. Store both?", err)) {
			return err
		}
		old, fresh = conflict.Current, merged
	}
}

// agrees asks a person at a terminal a question, whose answer is no unless it begins
// with y.
func agrees(std *cmdio.IO, question string) bool {
	fmt.Fprintf(std.Err, "%s [y/N]: ", question)
	line, err := bufio.NewReader(std.In).ReadString('\n')
	return err == nil && strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
}

// edited reads what a person made of an editable text. Editors end the last
// line of a file; a Markdown that did not end so is taken as unchanged then.
func edited(text []byte, old ruleset.Ruleset) (ruleset.Ruleset, error) {
	head, body, err := rulefiles.Split(strings.ReplaceAll(string(text), "\r\n", "\n"))
	if err != nil {
		return old, err
	}
	f, err := rulefiles.Parse(head)
	if err != nil {
		return old, err
	}
	fresh := old
	fresh.Description, fresh.Tags, fresh.Markdown, fresh.Extra = "", f.Tags, body, f.Extra
	if f.Description != nil {
		fresh.Description = *f.Description
	}
	if body == old.Markdown+"\n" {
		fresh.Markdown = old.Markdown
	}
	return fresh, nil
}

// difference returns the patch that turns a ruleset into its edited form.
func difference(old, fresh ruleset.Ruleset) ruleset.Patch {
	var p ruleset.Patch
	if fresh.Description != old.Description {
		p.Description = &fresh.Description
	}
	if !slices.Equal(fresh.Tags, old.Tags) {
		tags := append([]string{}, fresh.Tags...)
		p.Tags = &tags
	}
	if fresh.Markdown != old.Markdown {
		p.Markdown = &fresh.Markdown
	}
	if !rulefiles.SameExtra(fresh.Extra, old.Extra) {
		p.Extra = &fresh.Extra
	}
	return p
}

// runEditor runs the user's editor, which may be a command with arguments, and
// waits for it.
func (a commands) runEditor(ctx context.Context, path string) error {
	editor := cmp.Or(a.app.Getenv("VISUAL"), a.app.Getenv("EDITOR"), "vi")
	words := strings.Fields(editor)
	if len(words) == 0 {
		return errors.New("EDITOR names no program")
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("editor %q: %w", editor, err)
	}
	return nil
}
