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

// promptSource serves the rulesets that are prompts (package frontmatter says which).
func (t *tools) promptSource() *mcp.PromptSource {
	return &mcp.PromptSource{Scope: scopeRead, Extension: true, List: t.listPrompts, Find: t.findPrompt}
}

// promptScan is the number of rulesets among which one call looks for prompts.
const promptScan = 1000

// listPrompts returns the prompts on the next page of the rulesets, which may be none.
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

// prompt returns the prompt that a ruleset is, nil if it is none or missing.
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

// isAbsent reports whether an error means that a ruleset, or what was asked for of it,
// is missing.
func isAbsent(err error) bool {
	_, gone := errors.AsType[*ruleset.NotFoundError](err)
	_, noLabel := errors.AsType[*ruleset.NoLabelError](err)
	_, noRevision := errors.AsType[*ruleset.NoRevisionError](err)
	return gone || noLabel || noRevision
}

// said is a prompt of one message by the user.
func said(description, text string) *mcp.PromptResult {
	return &mcp.PromptResult{Description: description, Messages: []mcp.PromptMessage{{Role: "user", Content: mcp.Text(text)}}}
}

// gap matches the place of an argument in a text: {{name}}.
var gap = regexp.MustCompile(`\{\{\s*([^{}\s]+)\s*\}\}`)

// fill puts the arguments into their gaps. Gaps without such an argument stay as they
// are, those of arguments that were not given become empty. What an argument says is
// not filled again. Arguments that have no gap follow the text.
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

// valuesOf returns the values of an argument's front matter that begin with a text.
func valuesOf(arguments []frontmatter.Argument, name, beginning string) []string {
	for _, a := range arguments {
		if a.Name == name {
			return slices.DeleteFunc(slices.Clone(a.Values), func(v string) bool { return !strings.HasPrefix(v, beginning) })
		}
	}
	return nil
}

// knownPrompts remembers the prompts as clients were shown them, to tell when the list
// changes. Before the first list nothing needs to be told.
type knownPrompts struct {
	mu    sync.Mutex
	asked bool
	shown map[ruleset.Name]string // the entry of the list, as a text
}

// listed notes what a list shows of a ruleset.
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

// begin notes that a client asked for the list, active reports whether one did.
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

// changed notes what a changed ruleset is now and reports whether the list changes.
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

// entryOf returns what a list shows of a prompt.
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

// notePrompt tells clients that the list of prompts changed, if a changed ruleset was
// or is one.
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
