package findings_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/findings"
)

// What was saved is loaded, for the same recording and key only.
func TestStore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "findings")
	s := findings.Open(folder, []byte("one"))
	if _, ok := s.Load("key"); ok {
		t.Error("something is there before it is saved")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for n, want := range [][]uint64{{}, {0}, {math.MaxUint64, 0, 1 << 63, 5}, make([]uint64, 1000)} {
		for i := range want {
			if len(want) > 10 {
				want[i] = random.Uint64() >> random.IntN(64)
			}
		}
		for stride := 1; stride < 4; stride++ {
			key := fmt.Sprint("key", n, stride)
			s.Save(key, stride, want)
			if got, ok := findings.Open(folder, []byte("one")).Load(key); !ok || !slices.Equal(got, want) {
				t.Errorf("list %d, stride %d: %d numbers, %t", n, stride, len(got), ok)
			}
			for _, other := range []*findings.Store{findings.Open(folder, []byte("two")), findings.Open(folder, nil)} {
				if _, ok := other.Load(key); ok {
					t.Error("the finding of another recording is loaded")
				}
			}
		}
	}
	if _, ok := s.Load("key"); ok {
		t.Error("the finding of another key is loaded")
	}
}

// Damaged files, and files whose checksum is right but whose content is not, are ignored.
func TestDamaged(t *testing.T) {
	folder := t.TempDir()
	s := findings.Open(folder, []byte("one"))
	s.Save("key", 2, []uint64{1, 2, 3, 4, 1 << 40})
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	signed := func(b []byte) []byte {
		sum := sha256.Sum256(b)
		return append(bytes.Clone(b), sum[:]...)
	}
	body := whole[:len(whole)-sha256.Size]
	head := body[:sha256.Size]
	bad := [][]byte{
		nil, head, signed(head), signed(head[:10]), append(bytes.Clone(whole), 0), signed(append(bytes.Clone(body), 0)), signed(body[:len(body)-1]),
		signed(append(bytes.Clone(head), 0, 1, 2)),
		signed(append(bytes.Clone(head), 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2)),
		make([]byte, findings.MaxFile+1),
	}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1
		bad = append(bad, flipped, whole[:i])
	}
	for n, b := range bad {
		if err := os.WriteFile(files[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		if numbers, ok := s.Load("key"); ok {
			t.Errorf("damage %d: %d numbers are loaded", n, len(numbers))
		}
	}
	if err := os.WriteFile(files[0], signed(body), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Load("key"); !ok {
		t.Error("the whole file is not loaded")
	}
}

// The files that were used last stay within the limit.
func TestTrim(t *testing.T) {
	folder := t.TempDir()
	s := findings.OpenLimited(folder, []byte("one"), 3000)
	for n := range 10 {
		s.Save(fmt.Sprint(n), 1, slices.Repeat([]uint64{0, 1}, 450)) // 1,000 bytes
		if _, ok := s.Load("0"); !ok {
			t.Errorf("after %d files the first one, which is used, is gone", n+1)
		}
	}
	for key, want := range map[string]bool{"9": true, "1": false} {
		if _, ok := s.Load(key); ok != want {
			t.Errorf("%s is there: %t", key, ok)
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) > 3 {
		t.Errorf("%d files, %v", len(files), err)
	}
}
