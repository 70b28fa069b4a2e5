package keys_test

import (
	"slices"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// A word is an id, the name of keys, or a word of another kind, which stays.
func TestIDsOf(t *testing.T) {
	store := openFile(t, t.TempDir(), time.Now)
	ids := map[string][]string{}
	for _, name := range []string{"ann", "bob", "ann"} {
		r, _, err := store.Create(t.Context(), keys.Live, keys.Settings{Name: name, Plan: quota.Free})
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = append(ids[name], r.ID)
	}
	for word, want := range map[string][]string{
		"ann": ids["ann"], "bob": ids["bob"], ids["bob"][0]: ids["bob"], "key_unknown000": {"key_unknown000"}, "local": {"local"},
	} {
		got, err := keys.IDsOf(t.Context(), store, word)
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: %q, %v, want %q", word, got, err, want)
		}
	}
}
