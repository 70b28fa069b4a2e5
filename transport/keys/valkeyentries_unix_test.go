//go:build unix

package keys_test

import (
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// The caller of a change learns which copies there are of it.
func TestConfirmations(t *testing.T) {
	t.Parallel() // it waits
	file := openFile(t, t.TempDir(), atNoon)
	if c := confirmed(t, file); !c.Synced || !c.Safe() {
		t.Errorf("in a file: %+v", c)
	}
	primary, replica := valkeytest.Start(t), valkeytest.Start(t)
	s := openValkey(t, "redis://"+primary.Addr, atNoon)
	if c := confirmed(t, s); c.Replicas != 0 || !c.Safe() {
		t.Errorf("without replicas: %+v", c)
	}
	host, port := primary.HostPort()
	if err := valkeytest.Client(t, "redis://"+replica.Addr).ReplicaOf(t.Context(), host, port).Err(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		c := confirmed(t, s)
		if c.Replicas == 1 && c.Confirmed == 1 && c.Safe() {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("with a replica: %+v", c)
		}
	}
	resume := replica.Pause()
	if c := confirmed(t, s); c.Safe() || c.Confirmed != 0 {
		t.Errorf("with a replica that hangs: %+v", c)
	}
	resume()
}

// confirmed revokes a new key.
func confirmed(t *testing.T, s keys.Store) (c keys.Confirmation) {
	t.Helper()
	r, _ := create(t, s, keys.Settings{})
	if _, err := s.Revoke(keys.WithConfirmation(t.Context(), &c), r.ID); err != nil {
		t.Fatal(err)
	}
	return c
}
