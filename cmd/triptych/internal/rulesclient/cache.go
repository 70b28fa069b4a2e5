package rulesclient

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/httpclient"
)

// A Cache is a folder with rulesets that were read from servers; "" stores nothing.
// Several processes may share it. What is in it is a copy: it may be deleted at any
// time.
type Cache string

// entry is a file of a cache.
type entry struct {
	Ruleset ruleset.Ruleset `json:"ruleset"`
	Read    time.Time       `json:"read"` // by the server's clock
}

// settled is the time after a change from which on times tell whether there was
// another one: times have whole seconds.
const settled = 2 * time.Second

// get returns a ruleset of a server as it was read last.
func (c Cache) get(from httpclient.Endpoint, name ruleset.Name) (ruleset.Ruleset, bool) {
	e, ok := c.load(from, name)
	return e.Ruleset, ok
}

// fresh returns the ruleset that a list describes, if it was read after its last
// change.
func (c Cache) fresh(from httpclient.Endpoint, m ruleset.Meta) (ruleset.Ruleset, bool) {
	e, ok := c.load(from, m.Name)
	old := e.Ruleset.Meta
	same := ok && old.Description == m.Description && slices.Equal(old.Tags, m.Tags) &&
		old.CreatedAt.Equal(m.CreatedAt) && old.LastModified.Equal(m.LastModified)
	return e.Ruleset, same && !e.Read.Before(m.LastModified.Add(settled))
}

func (c Cache) load(from httpclient.Endpoint, name ruleset.Name) (e entry, ok bool) {
	if c == "" {
		return entry{}, false
	}
	text, err := os.ReadFile(c.file(from, name))
	if err != nil || json.Unmarshal(text, &e) != nil || e.Ruleset.Name != name {
		return entry{}, false
	}
	return e, true
}

func (c Cache) add(from httpclient.Endpoint, r ruleset.Ruleset, read time.Time) error {
	if c == "" {
		return nil
	}
	text, err := json.Marshal(entry{Ruleset: r, Read: read})
	if err != nil {
		return err
	}
	return WriteCopy(c.file(from, r.Name), text)
}

// file returns the place of a ruleset: a file for each name in a folder for each server
// and key, since keys may see other rulesets.
func (c Cache) file(from httpclient.Endpoint, name ruleset.Name) string {
	server := sha256.Sum256([]byte(from.URL + "\x00" + from.Key))
	return filepath.Join(string(c), hex.EncodeToString(server[:8]), string(name)+".json")
}
