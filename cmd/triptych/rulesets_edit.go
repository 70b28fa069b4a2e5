package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func (a *app) rulesetsEdit() command {
	return command{
		name: "edit", args: "NAME", min: 1, max: 1,
		short: "edit a ruleset in your editor",
		long: "Opens the program named by VISUAL or EDITOR with the description, the tags and\n" +
			"the Markdown, and stores what you saved. Nothing changes when you change\n" +
			"nothing or when the editor fails.",
		flags:    a.familyFlags("rulesets"),
		complete: a.completeRulesets,
		run: func(ctx context.Context, args []string) error {
			return a.withStore(ctx, func(store ruleset.Store) error {
				old, err := getNamed(ctx, store, args[0])
				if err != nil {
					return err
				}
				return a.edit(ctx, store, old)
			})
		},
	}
}

// edit lets a person change a ruleset. A text that cannot be stored stays in
// its file, so that no work is lost.
func (a *app) edit(ctx context.Context, store ruleset.Store, old ruleset.Ruleset) error {
	dir, err := os.MkdirTemp("", "triptych-edit-")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, string(old.Name)+".md")
	changed, err := a.editFile(ctx, store, old, path)
	if err != nil {
		return hinted(err, "what you wrote is still in "+path)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if !changed {
		return a.printf("%s is unchanged\n", old.Name)
	}
	return a.printf("updated %s\n", old.Name)
}

func (a *app) editFile(ctx context.Context, store ruleset.Store, old ruleset.Ruleset, path string) (changed bool, err error) {
	text, err := editable(old)
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
	patch := difference(old, fresh)
	if patch.Empty() {
		return false, nil
	}
	_, err = store.Update(ctx, old.Name, patch)
	return err == nil, err
}

// difference is what changed between a ruleset and its edited form.
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
	return p
}

// runEditor runs the user's editor, which may be a command with arguments, and
// waits for it.
func (a *app) runEditor(ctx context.Context, path string) error {
	editor := cmp.Or(a.getenv("VISUAL"), a.getenv("EDITOR"), "vi")
	words := strings.Fields(editor)
	if len(words) == 0 {
		return errors.New("EDITOR names no program")
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("editor %q: %w", editor, err)
	}
	return nil
}
