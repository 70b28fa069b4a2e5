//go:build unix

package scale_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// Installations with prefixes share a store without seeing each other's keys, quotas or
// trails; rulesets have their documented names and are common. All other names begin with
// a prefix.
func TestInstallationsShareAStore(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	servers, callers := []*server{}, []*caller{}
	for _, prefix := range []string{"a:", "b:"} {
		servers = append(servers, start(t, store.url(), "--store-prefix", prefix))
		callers = append(callers, newCaller(newKey(t, store.url(), "--store-prefix", prefix)))
	}
	if err := callers[0].create(t.Context(), servers[0].url(), "common"); err != nil {
		t.Fatal(err)
	}
	for i, s := range servers {
		if err := callers[i].call(t.Context(), s.url(), "get_ruleset", map[string]any{"name": "common"}); err != nil {
			t.Errorf("installation %d: %v", i, err)
		}
		other := callers[1-i]
		if got, err := other.send(t.Context(), s.url(), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); err != nil || got.status != http.StatusUnauthorized {
			t.Errorf("installation %d lets a key of the other in: status %d, %v", i, got.status, err)
		}
	}
	names, err := store.client.Keys(context.WithoutCancel(t.Context()), "*").Result()
	if err != nil || len(names) < 10 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "a:") && !strings.HasPrefix(name, "b:") && name != "ruleset:common" {
			t.Errorf("the key %s has no prefix", name)
		}
	}
}
