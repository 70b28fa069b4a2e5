package memsearch_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/session/memsearch"
)

// A memory is bytes of which a range cannot be read.
type memory struct {
	start    uint64
	bytes    []byte
	from, to uint64 // cannot be read
}

func (m *memory) read(addr uint64, p []byte) int {
	for i := range p {
		at := addr + uint64(i)
		if at >= m.from && at < m.to || at < m.start || at-m.start >= uint64(len(m.bytes)) {
			return i
		}
		p[i] = m.bytes[at-m.start]
	}
	return len(p)
}

// naive finds the occurrences byte by byte.
func (m *memory) naive(maps procfs.Maps, pattern string, align uint64) (all []uint64) {
	p := make([]byte, len(pattern))
	for _, each := range maps {
		for at := each.Start; at+uint64(len(p)) <= each.End; at++ {
			if at%align == 0 && m.read(at, p) == len(p) && string(p) == pattern {
				all = append(all, at)
			}
		}
	}
	return all
}

// All occurrences are found, and nothing else: across chunks, around a page that cannot
// be read, overlapping, aligned, and in as many calls as the limit needs.
func TestLikeNaive(t *testing.T) {
	const mib = 1 << 20
	random := rand.New(rand.NewPCG(1, 2))
	m := &memory{start: 0x10000, bytes: make([]byte, 2*mib+0x5000), from: 0x13000, to: 0x14000}
	for i := range m.bytes {
		m.bytes[i] = "ab"[random.IntN(2)]
	}
	maps := procfs.Maps{
		{Start: 0x10000, End: 0x18000, Read: true},
		{Start: 0x18000, End: 0x19000},
		{Start: 0x19000, End: 0x10000 + 2*mib + 0x5000, Read: true},
	}
	copy(m.bytes[mib-3+0x9000:], "aaaaaaaaaaaaaaaaaaaa") // over the end of a chunk
	for _, tt := range []struct {
		pattern string
		align   uint64
	}{{"aaaaaaaaaaaaaaaa", 1}, {"abaabbabaab", 1}, {"abaabbab", 8}, {"c", 1}} {
		want := m.naive(slices.DeleteFunc(slices.Clone(maps), func(m procfs.Map) bool { return !m.Read }), tt.pattern, tt.align)
		if len(want) == 0 && tt.pattern != "c" {
			t.Fatalf("%q does not occur", tt.pattern)
		}
		for _, most := range []uint64{1 << 40, 3 << 19} {
			var got []uint64
			from := uint64(0)
			for {
				s := memsearch.Search{Maps: maps, Read: m.read, Bytes: []byte(tt.pattern), Align: tt.align, From: from, Most: most}
				next, err := s.Run(t.Context(), func(addr uint64) bool { got = append(got, addr); return true })
				if err != nil {
					t.Fatal(err)
				}
				if from = next; next == 0 {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q aligned to %d, %d bytes a call: %d occurrences, want %d", tt.pattern, tt.align, most, len(got), len(want))
			}
		}
	}
}

// A search stops where it is told to, and goes on there; it ends with its context.
func TestStop(t *testing.T) {
	m := &memory{start: 0x1000, bytes: []byte("xx..xx..")}
	s := memsearch.Search{Maps: procfs.Maps{{Start: 0x1000, End: 0x1008, Read: true}}, Read: m.read, Bytes: []byte("xx"), Align: 1, Most: 100}
	if next, err := s.Run(t.Context(), func(addr uint64) bool { return addr < 0x1004 }); next != 0x1004 || err != nil {
		t.Errorf("stopped at %#x, %v; want 0x1004", next, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Run(ctx, func(uint64) bool { return true }); err == nil {
		t.Error("a canceled search has no error")
	}
}
