package streamable

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// A sealed id is read by every holder of the secret and by no one else, whole and in
// its time only.
func TestSealedIDs(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	want := sealedSession{
		ID: "ABC", Principal: "key_1", Scopes: []host.Scope{"rulesets:read"}, Began: now.Unix(),
		Handshake: host.Handshake{Revision: "2025-06-18", Client: host.ClientCapabilities{Forms: true}},
	}
	id, err := newSealer([]byte("secret")).seal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := newSealer([]byte("secret")).open(id, now.Add(SessionLife))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	for name, open := range map[string]func() error{
		"another secret": func() error { _, err := newSealer([]byte("other")).open(id, now); return err },
		"too old": func() error {
			_, err := newSealer([]byte("secret")).open(id, now.Add(SessionLife+time.Second))
			return err
		},
		"from the future": func() error { _, err := newSealer([]byte("secret")).open(id, now.Add(-2*time.Hour)); return err },
		"changed": func() error {
			changed := []byte(id)
			if middle := len(id) / 2; changed[middle] == 'A' {
				changed[middle] = 'B'
			} else {
				changed[middle] = 'A'
			}
			_, err := newSealer([]byte("secret")).open(string(changed), now)
			return err
		},
		"cut":       func() error { _, err := newSealer([]byte("secret")).open(id[:20], now); return err },
		"no prefix": func() error { _, err := newSealer([]byte("secret")).open(id[1:], now); return err },
		"too long": func() error {
			_, err := newSealer([]byte("secret")).open(id+strings.Repeat("A", maxSealed), now)
			return err
		},
	} {
		if open() == nil {
			t.Errorf("%s: it is accepted", name)
		}
	}
	if strings.Contains(id, "key_1") {
		t.Error("the id shows its contents")
	}
	for _, c := range id {
		if c < 0x21 || c > 0x7e {
			t.Errorf("the id has the character %q, which no header of the protocol may have", c)
		}
	}
}
