package keys

import (
	"fmt"
	"testing"
	"time"
)

// A cache is bounded, forgets what was changed, and takes nothing of another version.
func TestRecordCache(t *testing.T) {
	var c recordCache
	c.advance("v1", nil, true)
	record := func(i int) Record {
		return Record{ID: fmt.Sprintf("key_%010d", i), Hash: Hash{byte(i), byte(i >> 8), 1}, Previous: Hash{byte(i), byte(i >> 8), 2}, PreviousUntil: time.Unix(9, 0)}
	}
	for i := range maxCached + 500 {
		c.add("v1", record(i))
	}
	if len(c.records) != maxCached || len(c.tokens) != 2*maxCached {
		t.Errorf("%d records with %d tokens, want %d with twice as many", len(c.records), len(c.tokens), maxCached)
	}
	last := record(maxCached + 499)
	if _, ok := c.find(last.Hash); !ok {
		t.Error("the newest record is not there")
	}
	if one, ok := c.find(last.Previous); !ok || !one.Expires.Equal(last.PreviousUntil) {
		t.Errorf("by the token before: %+v, %v", one, ok)
	}
	c.advance("v2", []string{last.ID}, false)
	if _, ok := c.find(last.Hash); ok {
		t.Error("a record that was changed is there")
	}
	c.add("v1", last)
	if _, ok := c.find(last.Hash); ok {
		t.Error("a record of the version before was added")
	}
	c.advance("v3", nil, true)
	if len(c.records) != 0 || len(c.tokens) != 0 {
		t.Error("something is left")
	}
}
