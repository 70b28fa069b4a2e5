package rulesets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// everything stands for a name in the URI of a snapshot: ruleset://*, or ruleset://*@LABEL.
// It is for programs that have copies of all rulesets, and not listed.
const everything = "*"

// maxSnapshot limits the bytes of texts in a snapshot. Programs read larger stores one
// ruleset at a time.
const maxSnapshot = 16 << 20

// A snapshot has all rulesets that a caller sees, oldest first, as get_ruleset returns
// them. The same rulesets always make the same bytes.
type snapshot struct {
	Rulesets   []got          `json:"rulesets"`
	Unlabelled []ruleset.Name `json:"unlabelled,omitempty"` // those without the label
}

// readAll returns the snapshot at @LABEL, of the newest revisions for "".
func (t *tools) readAll(ctx context.Context, call *mcp.Call, uri, at string) ([]mcp.Contents, error) {
	label, labelled := strings.CutPrefix(at, "@")
	if _, err := ruleset.ParseLabel(label); at != "" && (err != nil || !labelled) {
		return nil, notFound(uri, fmt.Errorf("'%s' is not @LABEL", at))
	}
	seen := t.viewFor(call)
	metas, _, err := seen.List(ctx, ruleset.Page{})
	if err != nil {
		return nil, &opError{"list", err}
	}
	all, size := snapshot{Rulesets: []got{}}, 0
	for _, m := range metas {
		r, err := t.readAt(ctx, seen, m.Name, label)
		if _, missing := errors.AsType[*ruleset.NoLabelError](err); missing {
			all.Unlabelled = append(all.Unlabelled, m.Name)
			continue
		}
		if isAbsent(err) {
			continue // it was deleted since the list was made
		}
		if err != nil {
			return nil, &opError{"retrieve", err}
		}
		if size += len(r.Markdown) + len(r.Extra); size > maxSnapshot {
			return nil, notFound(uri, fmt.Errorf("the texts have more than %d bytes; read them one by one", maxSnapshot))
		}
		all.Rulesets = append(all.Rulesets, gotFrom(r))
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return []mcp.Contents{{URI: uri, MIMEType: "application/json", Text: string(text)}}, nil
}
