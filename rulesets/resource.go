package rulesets

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func uri(name ruleset.Name) string { return uriPrefix + string(name) }

// resources lists each ruleset as a resource.
func (t *tools) resources(ctx context.Context, _ *mcp.Call, after string, limit int) ([]mcp.Resource, string, error) {
	metas, next, err := t.store.List(ctx, ruleset.Page{After: after, Limit: limit})
	if err != nil {
		return nil, "", &opError{"list", err}
	}
	list := make([]mcp.Resource, len(metas))
	for i, m := range metas {
		list[i] = mcp.Resource{
			URI: uri(m.Name), Name: string(m.Name), Description: m.Description, MIMEType: mimeType, LastModified: m.LastModified,
		}
	}
	return list, next, nil
}

func (t *tools) read(ctx context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
	name, at, err := parseURI(uri)
	if err != nil {
		return nil, notFound(uri, err)
	}
	r, err := t.readAt(ctx, name, at)
	if _, none := errors.AsType[*ruleset.NoLabelError](err); none {
		return nil, notFound(uri, err)
	}
	if _, none := errors.AsType[*ruleset.NoRevisionError](err); none {
		return nil, notFound(uri, err)
	}
	if _, gone := errors.AsType[*ruleset.NotFoundError](err); gone {
		return nil, notFound(uri, err)
	}
	if err != nil {
		return nil, &opError{"retrieve", err}
	}
	return []mcp.Contents{{URI: uri, MIMEType: mimeType, Text: page(&r, ", ")}}, nil
}

// parseURI takes ruleset://NAME, ruleset://NAME@REV or ruleset://NAME@LABEL apart.
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

// readAt returns a ruleset at a revision or label, the newest one for "".
func (t *tools) readAt(ctx context.Context, name ruleset.Name, at string) (ruleset.Ruleset, error) {
	if at == "" {
		return t.at(ctx, name, nil)
	}
	if n, err := strconv.Atoi(at); err == nil {
		return t.at(ctx, name, &n)
	}
	rev, err := t.labelled(ctx, name, at)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	return t.at(ctx, name, rev)
}

func notFound(uri string, err error) error {
	return &mcp.ResourceNotFoundError{
		URI: uri, Baseline: jsonrpc.CodeInternalError, Message: (&opError{"retrieve", err}).Error(),
	}
}

// maxSuggestions is the number of names in one completion.
const maxSuggestions = 100

// complete returns the names that begin with the value.
func (t *tools) complete(ctx context.Context, _ *mcp.Call, _, argument, value string, _ map[string]string) ([]string, int, error) {
	if argument != "name" || strings.ContainsAny(value, "*?") {
		return nil, 0, nil
	}
	metas, err := t.store.Search(ctx, value+"*")
	if err != nil {
		return nil, 0, &opError{"search", err}
	}
	names := make([]string, min(len(metas), maxSuggestions))
	for i := range names {
		names[i] = string(metas[i].Name)
	}
	return names, len(metas), nil
}

func (t *tools) watch(ctx context.Context, changes mcp.Changes) error {
	return t.store.Watch(ctx, func(c ruleset.Change) {
		if c.Kind != ruleset.Updated && c.Kind != ruleset.Labelled {
			changes.ResourcesChanged()
		}
		if c.Name != "" {
			changes.ResourceUpdated(uri(c.Name))
		}
		if c.Label != "" {
			changes.ResourceUpdated(uri(c.Name) + "@" + string(c.Label))
		}
	})
}
