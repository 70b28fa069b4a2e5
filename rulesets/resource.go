package rulesets

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/skill"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func uri(name ruleset.Name) string { return uriPrefix + string(name) }

// source serves each ruleset as a resource, at the newest revision or at a given
// revision or label.
func (t *tools) source() mcp.ResourceSource {
	return mcp.ResourceSource{
		Scheme: "ruleset", Scope: scopeRead, List: t.resources, Read: t.read, Complete: t.complete,
		LookUp: "it reads rulesets, which every caller with the scope may read",
		Templates: []mcp.ResourceTemplate{
			{
				URITemplate: uriTemplate, Name: "ruleset", Title: "Ruleset",
				Description: "AI editor ruleset with metadata and markdown content", MIMEType: mimeType,
			},
			{
				URITemplate: pinnedTemplate, Name: "ruleset_at", Title: "Ruleset at a revision or label", Extension: true,
				Description: "AI editor ruleset at the number of a revision, or at a label such as production", MIMEType: mimeType,
			},
		},
	}
}

// resources lists each ruleset as a resource.
func (t *tools) resources(ctx context.Context, call *mcp.Call, after string, limit int) ([]mcp.Resource, string, error) {
	metas, next, err := t.viewFor(call).List(ctx, ruleset.Page{After: after, Limit: limit})
	if err != nil {
		return nil, "", &opError{"list", err}
	}
	list := make([]mcp.Resource, len(metas))
	for i, m := range metas {
		list[i] = mcp.Resource{
			URI: uri(m.Name), Name: string(m.Name), Description: m.Description, MIMEType: mimeType, LastModified: m.LastModified,
			Size:        int64(len(page(&ruleset.Ruleset{Meta: m}, ", ")) + m.Summary.Bytes),
			Annotations: annotations[frontmatter.Mode(m.Summary.Activation)],
		}
	}
	return list, next, nil
}

// annotations holds the annotations of rulesets by mode. Rules are for users and models;
// rules that always apply have a higher priority than rules that must be requested.
var annotations = map[frontmatter.Mode]*mcp.Annotations{
	frontmatter.Always: {Audience: everybody, Priority: new(1.0)},
	frontmatter.Glob:   {Audience: everybody, Priority: new(0.7)},
	frontmatter.Auto:   {Audience: everybody, Priority: new(0.4)},
	frontmatter.Manual: {Audience: everybody, Priority: new(0.1)},
}

var everybody = []string{"user", "assistant"}

func (t *tools) read(ctx context.Context, call *mcp.Call, uri string) ([]mcp.Contents, error) {
	if label, all := strings.CutPrefix(uri, uriPrefix+everything); all {
		return t.readAll(ctx, call, uri, label)
	}
	name, at, err := parseURI(uri)
	if err != nil {
		return nil, notFound(uri, err)
	}
	r, err := t.readAt(ctx, t.viewFor(call), name, at)
	if isAbsent(err) {
		return nil, notFound(uri, err)
	}
	if err != nil {
		return nil, &opError{"retrieve", err}
	}
	t.audience.read(ctx, call, t.labelAt(call, at), r)
	t.reads.saw(ctx, call, &r, at != "" || t.labelFor(call) != "")
	return []mcp.Contents{{URI: uri, MIMEType: mimeType, Text: page(&r, ", ")}}, nil
}

// parseURI splits ruleset://NAME, ruleset://NAME@REV or ruleset://NAME@LABEL.
func parseURI(uri string) (name ruleset.Name, at string, err error) {
	word, at, pinned := strings.Cut(strings.TrimPrefix(uri, uriPrefix), "@")
	if n, err := strconv.Atoi(at); err == nil && (n < 1 || strconv.Itoa(n) != at) {
		return "", "", fmt.Errorf("'%s' is not the number of a revision", at)
	} else if _, labelErr := ruleset.ParseLabel(at); pinned && err != nil && labelErr != nil {
		return "", "", labelErr
	}
	name, err = ruleset.ParseName(word)
	return name, at, err
}

// labelAt returns the label after the @ of a URI, or else that of the caller.
func (t *tools) labelAt(call *mcp.Call, at string) ruleset.Label {
	if label, err := ruleset.ParseLabel(at); err == nil {
		return label
	}
	return t.labelFor(call)
}

// readAt returns a ruleset at a revision or label, or as the store shows it if at
// is "".
func (t *tools) readAt(ctx context.Context, store ruleset.Store, name ruleset.Name, at string) (ruleset.Ruleset, error) {
	if at == "" {
		return t.at(ctx, store, name, nil)
	}
	if n, err := strconv.Atoi(at); err == nil {
		return t.at(ctx, store, name, &n)
	}
	rev, err := t.labelled(ctx, name, at)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	return t.at(ctx, store, name, rev)
}

func notFound(uri string, err error) error {
	return &mcp.ResourceNotFoundError{
		URI: uri, Baseline: jsonrpc.CodeInternalError, Message: (&opError{"retrieve", err}).Error(),
	}
}

// maxSuggestions limits the names in one completion.
const maxSuggestions = 100

// complete completes names or, if the ruleset is known, its labels and newest
// revisions.
func (t *tools) complete(ctx context.Context, call *mcp.Call, _, argument, value string, known map[string]string) ([]string, int, error) {
	if argument == "rev_or_label" {
		return t.completePin(ctx, known["name"], value)
	}
	if argument != "name" {
		return nil, 0, nil
	}
	found, total, err := t.viewFor(call).Names(ctx, value, maxSuggestions)
	if err != nil {
		return nil, 0, &opError{"search", err}
	}
	names := make([]string, len(found))
	for i, name := range found {
		names[i] = string(name)
	}
	return names, total, nil
}

// completePin returns the labels of a ruleset, then its revisions, newest first.
func (t *tools) completePin(ctx context.Context, word, value string) ([]string, int, error) {
	name, err := ruleset.ParseName(word)
	if err != nil {
		return nil, 0, nil //nolint:nilerr // no suggestions
	}
	moves, err := t.store.LabelMoves(ctx, name)
	if err != nil {
		return nil, 0, &opError{"search", err}
	}
	history, err := t.store.History(ctx, name)
	if isAbsent(err) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, &opError{"search", err}
	}
	var pins []string
	add := func(pin string) {
		if strings.HasPrefix(pin, value) {
			pins = append(pins, pin)
		}
	}
	for _, label := range slices.Sorted(maps.Keys(ruleset.Labels(moves))) {
		add(string(label))
	}
	for _, r := range history {
		if !r.Deleted {
			add(strconv.Itoa(r.Number))
		}
	}
	return pins[:min(len(pins), maxSuggestions)], len(pins), nil
}

func (t *tools) watch(ctx context.Context, changes mcp.Changes) error {
	return t.catalog.Watch(ctx, func(c ruleset.Change) {
		if c.Name == ruleset.ProposalLog || c.Kind == ruleset.Began {
			return // no resource shows proposals, and a server that begins has not listed any
		}
		isMove := c.Kind == ruleset.Labelled && c.Label != t.bound // a move of the bound label adds rulesets to the list
		if c.Kind != ruleset.Updated && !isMove {
			changes.ResourcesChanged()
		}
		if c.Name != "" {
			changes.ResourceUpdated(uri(c.Name))
			changes.ResourceUpdated(skill.URI(c.Name.Slug(), skill.MainFile))
		}
		if c.Label != "" {
			changes.ResourceUpdated(uri(c.Name) + "@" + string(c.Label))
		}
		t.notePrompt(ctx, c.Name, changes)
	})
}
