package keys

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzFile: whatever a file holds, reading it ends, and what is taken for keys
// can be written and read again as the same keys.
func FuzzFile(f *testing.F) {
	f.Add(`{"version":1,"keys":[]}`)
	f.Add(`{"version":1,"keys":[{"id":"key_0123456789","kind":"live","hint":"kdb_live_abcd…","hash":"` +
		`00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff","name":"n","scopes":["aoc:read"],"plan":"enterprise",` +
		`"limits":{"month":5},"expires":"2027-01-01T00:00:00Z","allow":["10.0.0.0/8"],"created":"2026-01-01T00:00:00Z"}]}`)
	f.Add(`{"version":2,"keys":null}`)
	f.Add("\x00")
	f.Fuzz(func(t *testing.T, text string) {
		records, err := decodeFile([]byte(text))
		if err != nil {
			return
		}
		r, errs := newRing("", records)
		if len(errs) > 0 {
			return
		}
		data, err := json.Marshal(keyFile{fileFormat, r.records})
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeFile(data)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		rewritten, errs := newRing("", again)
		if len(errs) > 0 || !reflect.DeepEqual(encodedAll(t, r), encodedAll(t, rewritten)) {
			t.Errorf("%s\nread again: %v, %v", data, rewritten.records, errs)
		}
	})
}

// encodedAll is each record as text: times that are the same instant are
// written alike.
func encodedAll(t *testing.T, r *ring) []string {
	t.Helper()
	texts := make([]string, len(r.records))
	for i, one := range r.records {
		data, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(data)
	}
	return texts
}
