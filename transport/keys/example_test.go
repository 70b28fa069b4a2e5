package keys_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// A key is made, looked up on a request, and revoked.
func Example() {
	dir, err := os.MkdirTemp("", "keys")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	store, err := keys.OpenFile(dir, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		log.Fatal(err)
	}
	record, token, err := store.Create(ctx, keys.Live, keys.Settings{
		Name: "build server", Plan: quota.Team, Scopes: []host.Scope{"rulesets:read"},
	})
	if err != nil {
		log.Fatal(err)
	}
	secret := token.Reveal() // shown to its owner once, and stored nowhere

	check := func() error {
		shown, err := keys.ParseToken(secret) // from the Authorization header
		if err != nil {
			return err
		}
		found, err := store.Find(ctx, shown)
		if err != nil {
			return err
		}
		return found.Check(time.Now(), netip.MustParseAddr("192.0.2.1"))
	}
	fmt.Println(check())
	if _, err := store.Revoke(ctx, record.ID); err != nil {
		log.Fatal(err)
	}
	fmt.Println(check())
	// Output:
	// <nil>
	// the key was revoked
}
