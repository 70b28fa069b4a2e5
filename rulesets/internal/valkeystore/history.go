package valkeystore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A record is a revision in the list of a ruleset's revisions. The content is that
// of the hash, field by field.
type record struct {
	Rev         int    `json:"rev"`
	At          string `json:"at"`
	Author      string `json:"author"`
	Client      string `json:"client"`
	Message     string `json:"message"`
	Restores    int    `json:"restores"`
	Proposal    int    `json:"proposal,omitempty"`
	Deleted     bool   `json:"deleted"`
	Description string `json:"description"`
	Tags        string `json:"tags"`
	Markdown    string `json:"markdown"`
	Extra       string `json:"extra"`

	Files  []ruleset.File `json:"files,omitempty"`
	Folder bool           `json:"folder,omitempty"` // of a copy from a store that has folders
	Token  string         `json:"token,omitempty"`  // of the change that made it
}

// recordOf returns the newest record if it has the content of the hash, else the zero
// record.
func recordOf(last string, fields map[string]string) (r record) {
	if last == "" || json.Unmarshal([]byte(last), &r) != nil || r.Deleted || !r.is(fields) {
		return record{}
	}
	return r
}

// is reports whether the record has the content of a hash.
func (r *record) is(fields map[string]string) bool {
	return r.Description == fields["description"] && r.Tags == fields["tags"] && r.Markdown == fields["markdown"] && r.Extra == fields["extra"]
}

// place records what another program has written, and returns the ruleset at its
// revision, at 0 if there is none. It fails where nothing can be recorded, as for a user
// who may not write.
func (s *Store) place(ctx context.Context, name ruleset.Name) (ruleset.Ruleset, error) {
	reply, err := placeScript.Run(ctx, once{s.client}, s.key.ofScript(name)[:2], stampText(s.now())).StringSlice()
	if err != nil {
		s.log.Debug("a revision is not recorded", "component", "valkey", "name", string(name), "err", err)
		return ruleset.Ruleset{}, err
	}
	if len(reply) == 0 {
		return ruleset.Ruleset{}, nil
	}
	r := s.decoder.reply(name, reply)
	return r, nil
}

// History implements [ruleset.Store].
func (s *Store) History(ctx context.Context, name ruleset.Name) ([]ruleset.Revision, error) {
	ctx, stop := context.WithTimeout(ctx, listTimeout)
	defer stop()
	_, _ = s.place(ctx, name) // what is recorded counts
	lines, err := s.client.LRange(ctx, s.key.history(name), 0, -1).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	if len(lines) == 0 {
		return nil, &ruleset.NotFoundError{Name: name}
	}
	records, err := decodeRecords(name, lines)
	return s.decoder.newestFirst(name, records), err
}

// decodeRecords reads the lines of a history.
func decodeRecords(name ruleset.Name, lines []string) ([]record, error) {
	records := make([]record, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &records[i]); err != nil {
			return nil, fmt.Errorf("the history of %s cannot be read: %w", name, err)
		}
	}
	return records, nil
}
