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

// everything stands for the name in the URI of a snapshot: ruleset://*, or
// ruleset://*@LABEL. Snapshots are for programs that copy all rulesets and are
// not listed.
const everything = "*"

// maxSnapshot limits the size of the texts in a snapshot. Programs read larger
// stores one ruleset at a time.
const maxSnapshot = 16 << 20

// A snapshot holds all rulesets that a caller may see, oldest first, in the form
// of get_ruleset. Its bytes depend on the rulesets only.
type snapshot struct {
	Rulesets   []got          `json:"rulesets"`
	Unlabelled []ruleset.Name `json:"unlabelled,omitempty"` // rulesets without the label
}

// readAll returns the snapshot at a label, or of the newest revisions if at is
// "".
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
			continue // deleted since it was listed
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
