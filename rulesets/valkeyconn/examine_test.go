package valkeyconn

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// Each property that the documents of Redis name as a danger is found, with what to
// change, and a server that has none of them is found good.
func TestExamine(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		acl  string // added to the rules of the user
		want string // in the details
	}{
		"eviction of all":    {[]string{"--maxmemory-policy", "allkeys-lru"}, "", "removes any key"},
		"eviction of counts": {[]string{"--maxmemory-policy", "volatile-lru"}, "", "counts of quotas"},
		"no file":            {[]string{"--appendonly", "no"}, "", "append-only file"},
		"replica":            {[]string{"--replicaof", "127.0.0.1 1"}, "", "it is a replica"},
		"cluster":            {[]string{"--cluster-enabled", "yes"}, "", "node of a cluster"},
		"scripts":            {nil, "-@scripting", "run scripts"},
		"channels":           {nil, "resetchannels", "subscribe to channels"},
		"DBSIZE":             {nil, "-dbsize", "count keys"},
		"good":               {[]string{"--appendonly", "yes"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := valkeytest.Start(t, tt.args...)
			if tt.acl != "" {
				if err := valkeytest.Client(t, "redis://"+server.Addr).ACLSetUser(t.Context(), "default", tt.acl).Err(); err != nil {
					t.Fatal(err)
				}
			}
			client, _, err := Dial(t.Context(), "valkey://"+server.Addr, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = client.Close() }() // nothing to lose
			got := Examine(t.Context(), client, "")
			found := slices.ContainsFunc(got, func(p Problem) bool { return strings.Contains(p.Detail, tt.want) && p.Hint != "" })
			if tt.want == "" {
				found = !slices.ContainsFunc(got, func(p Problem) bool { return p.Level > Notice })
			}
			if !found {
				t.Errorf("%+v, want %q", got, tt.want)
			}
		})
	}
}
