package rulesets

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// promptSource serves the rulesets that are prompts, see package frontmatter.
func (t *tools) promptSource() *mcp.PromptSource {
	return &mcp.PromptSource{Scope: scopeRead, Extension: true, List: t.listPrompts, Find: t.findPrompt}
}

// promptScan limits the rulesets that one call searches for prompts.
const promptScan = 1000

// listPrompts returns the prompts on the next page of the rulesets, possibly
// none.
func (t *tools) listPrompts(ctx context.Context, call *mcp.Call, after string, limit int) ([]mcp.Prompt, string, error) {
	t.prompts.begin()
	metas, next, err := promptMetas(ctx, t.viewFor(call), ruleset.Page{After: after, Limit: promptScan})
	if err == nil && len(metas) > limit {
		metas, next, err = promptMetas(ctx, t.viewFor(call), ruleset.Page{After: after, Limit: limit})
	}
	if err != nil {
		return nil, "", &opError{"list", err}
	}
	var items []mcp.Prompt
	for _, m := range metas {
		p, err := t.prompt(ctx, t.viewFor(call), m.Name)
		if err != nil {
			return nil, "", &opError{"list", err}
		}
		t.prompts.listed(m.Name, p)
		if p != nil {
			items = append(items, *p)
		}
	}
	return items, next, nil
}

func promptMetas(ctx context.Context, store ruleset.Store, page ruleset.Page) ([]ruleset.Meta, string, error) {
	metas, next, err := store.List(ctx, page)
	return slices.DeleteFunc(metas, func(m ruleset.Meta) bool { return !m.Summary.Prompt }), next, err
}

func (t *tools) findPrompt(ctx context.Context, call *mcp.Call, name string) (*mcp.Prompt, error) {
	n, err := ruleset.ParseName(name)
	if err != nil {
		return nil, nil //nolint:nilerr // no ruleset has this name, so no prompt has
	}
	p, err := t.prompt(ctx, t.viewFor(call), n)
	if err != nil {
		return nil, &opError{"retrieve", err}
	}
	return p, nil
}

// prompt returns the prompt of a ruleset, or nil if it is not a prompt or
// missing.
func (t *tools) prompt(ctx context.Context, store ruleset.Store, name ruleset.Name) (*mcp.Prompt, error) {
	r, err := t.readAt(ctx, store, name, "")
	if isAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	fields, _ := frontmatter.Of(r)
	if !fields.IsPrompt() {
		return nil, nil
	}
	p := &mcp.Prompt{Name: string(name), Doc: r.Description}
	for _, a := range fields.Arguments {
		p.Args = append(p.Args, mcp.PromptArgument{Name: a.Name, Doc: a.Description, Required: a.Required})
	}
	p.Get = func(ctx context.Context, call *mcp.Call, args map[string]string) (*mcp.PromptResult, error) {
		t.audience.read(ctx, call, t.labelFor(call), r)
		return said(r.Description, fill(r.Markdown, fields.Arguments, args)), nil
	}
	p.Complete = func(_ context.Context, _ *mcp.Call, argument, value string, _ map[string]string) ([]string, int, error) {
		values := valuesOf(fields.Arguments, argument, value)
		return values, len(values), nil
	}
	return p, nil
}

// isAbsent reports whether an error means that a ruleset, or the requested part
// of it, is missing.
func isAbsent(err error) bool {
	_, gone := errors.AsType[*ruleset.NotFoundError](err)
	_, noLabel := errors.AsType[*ruleset.NoLabelError](err)
	_, noRevision := errors.AsType[*ruleset.NoRevisionError](err)
	return gone || noLabel || noRevision
}

// said returns a prompt with one message by the user.
func said(description, text string) *mcp.PromptResult {
	return &mcp.PromptResult{Description: description, Messages: []mcp.PromptMessage{{Role: "user", Content: mcp.Text(text)}}}
}

// gap matches a placeholder for an argument in a text: {{name}}.
var gap = regexp.MustCompile(`\{\{\s*([^{}\s]+)\s*\}\}`)

// fill replaces placeholders by arguments. Placeholders without a declared
// argument stay unchanged, those of arguments that were not given become empty.
// Values are not expanded again. Arguments without a placeholder follow the text.
func fill(text string, arguments []frontmatter.Argument, args map[string]string) string {
	used := map[string]bool{}
	isArgument := func(name string) bool {
		return slices.ContainsFunc(arguments, func(a frontmatter.Argument) bool { return a.Name == name })
	}
	text = gap.ReplaceAllStringFunc(text, func(place string) string {
		name := gap.FindStringSubmatch(place)[1]
		if !isArgument(name) {
			return place
		}
		used[name] = true
		return args[name]
	})
	var rest strings.Builder
	for _, a := range arguments {
		if value, given := args[a.Name]; given && !used[a.Name] {
			rest.WriteString("\n- " + a.Name + ": " + value)
		}
	}
	if rest.Len() == 0 {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n" + rest.String() + "\n"
}

// valuesOf returns the values in an argument's front matter that begin with a
// text.
func valuesOf(arguments []frontmatter.Argument, name, beginning string) []string {
	for _, a := range arguments {
		if a.Name == name {
			return slices.DeleteFunc(slices.Clone(a.Values), func(v string) bool { return !strings.HasPrefix(v, beginning) })
		}
	}
	return nil
}

// knownPrompts records the prompts that clients were shown, to detect when the
// list changes. Nothing needs to be reported before the first list.
type knownPrompts struct {
	mu    sync.Mutex
	asked bool
	shown map[ruleset.Name]string // entries of the list, as texts
}

// listed records the entry of a ruleset in the list.
func (k *knownPrompts) listed(name ruleset.Name, p *mcp.Prompt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.shown == nil {
		k.shown = map[ruleset.Name]string{}
	}
	if _, known := k.shown[name]; !known && p != nil {
		k.shown[name] = entryOf(p)
	}
}

// begin records that a client requested the list; active reports whether one did.
func (k *knownPrompts) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = true
}

func (k *knownPrompts) active() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.asked
}

// changed records the new entry of a changed ruleset and reports whether the list
// changes.
func (k *knownPrompts) changed(name ruleset.Name, p *mcp.Prompt) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.shown[name]
	if p == nil {
		delete(k.shown, name)
		return before != ""
	}
	if k.shown == nil {
		k.shown = map[ruleset.Name]string{}
	}
	k.shown[name] = entryOf(p)
	return before != k.shown[name]
}

// entryOf returns the entry of a prompt in the list.
func entryOf(p *mcp.Prompt) string {
	text := p.Name + "\x00" + p.Doc
	for _, a := range p.Args {
		text += "\x00" + a.Name + "\x00" + a.Doc
		if a.Required {
			text += "\x00!"
		}
	}
	return text
}

// notePrompt notifies clients that the list of prompts changed, if a changed
// ruleset was or is a prompt.
func (t *tools) notePrompt(ctx context.Context, name ruleset.Name, changes mcp.Changes) {
	if !t.prompts.active() {
		return
	}
	if name == "" {
		changes.PromptsChanged()
		return
	}
	p, err := t.prompt(ctx, t.view(t.bound), name)
	if err != nil || t.prompts.changed(name, p) {
		changes.PromptsChanged()
	}
}
