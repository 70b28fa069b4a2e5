package valkeystore

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A decoder reads rulesets from hashes, histories and replies of scripts.
type decoder struct {
	log *slog.Logger

	mu  sync.Mutex
	odd map[ruleset.Name]string // tags that were reported, by name
}

// hash reads a hash. What another program left out or wrote in another form
// is empty, and is reported.
func (d *decoder) hash(name ruleset.Name, fields map[string]string) ruleset.Ruleset {
	r := ruleset.Ruleset{Meta: ruleset.Meta{Name: name, Description: fields["description"], Tags: []string{}}, Markdown: fields["markdown"], Extra: fields["extra"]}
	if text := fields["tags"]; text != "" {
		if err := json.Unmarshal([]byte(text), &r.Tags); err != nil || r.Tags == nil {
			d.reportTags(name, text)
			r.Tags = []string{}
		}
	}
	r.CreatedAt = parseTime(fields["created_at"])
	r.LastModified = parseTime(fields["last_modified"])
	if r.LastModified.Before(r.CreatedAt) {
		r.LastModified = r.CreatedAt
	}
	return r
}

// maxOdd limits the number of reported rulesets with malformed tags.
const maxOdd = 1000

// reportTags logs tags that cannot be read, once until they change.
func (d *decoder) reportTags(name ruleset.Name, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.odd[name] == text || len(d.odd) >= maxOdd {
		return
	}
	d.odd[name] = text
	d.log.Warn("tags are no JSON array of strings; there are none for us", "component", "valkey", "name", string(name))
}

// parseTime parses an RFC 3339 time. It returns the Unix epoch for any other text, and
// for times outside the years 0 to 9999 in UTC, which answers cannot carry.
func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if t = t.UTC(); err != nil || t.Year() < 0 || t.Year() > 9999 {
		return time.Unix(0, 0).UTC()
	}
	return t.Truncate(time.Second)
}

// pairs reads a hash from a list of its fields and values.
func (d *decoder) pairs(name ruleset.Name, pairs []string) ruleset.Ruleset {
	fields := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	return d.hash(name, fields)
}

// reply reads a ruleset from the reply of the function hash of the scripts.
func (d *decoder) reply(name ruleset.Name, reply []string) ruleset.Ruleset {
	r := d.pairs(name, reply[3:])
	r.Rev, r.Files = revAndFiles(reply[1:])
	return r
}

// revAndFiles reads the number of a revision and its files as a script returns them, which
// has made both itself.
func revAndFiles(reply []string) (rev int, files []ruleset.File) {
	rev, _ = strconv.Atoi(reply[0])
	_ = json.Unmarshal([]byte(reply[1]), &files)
	return rev, files
}

// outcome reads the reply of a change: nothing, or "done" or "conflict", the number
// of the revision, its files, and the hash.
func (d *decoder) outcome(name ruleset.Name, reply []string) (ruleset.Ruleset, error) {
	if len(reply) == 0 {
		return ruleset.Ruleset{}, &ruleset.NotFoundError{Name: name}
	}
	if len(reply) == 1 {
		return ruleset.Ruleset{}, nil // of a deletion
	}
	r := d.reply(name, reply)
	if reply[0] == "conflict" {
		return ruleset.Ruleset{}, &ruleset.ConflictError{Current: r}
	}
	return r, nil
}

// newestFirst returns the revisions of records, which are oldest first.
func (d *decoder) newestFirst(name ruleset.Name, records []record) []ruleset.Revision {
	all := make([]ruleset.Revision, 0, len(records))
	for i := range slices.Backward(records) {
		all = append(all, d.revision(name, &records[i]))
	}
	return all
}

func (d *decoder) revision(name ruleset.Name, r *record) ruleset.Revision {
	content := d.hash(name, map[string]string{"description": r.Description, "tags": r.Tags, "markdown": r.Markdown, "extra": r.Extra})
	content.CreatedAt, content.LastModified, content.Files, content.Folder = time.Time{}, time.Time{}, r.Files, r.Folder
	return ruleset.Revision{
		Number: r.Rev, At: parseTime(r.At), Deleted: r.Deleted, Content: content,
		By: ruleset.By{Author: r.Author, Client: r.Client, Message: r.Message, Restores: r.Restores, Proposal: r.Proposal},
	}
}
