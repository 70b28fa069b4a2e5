package recfile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// TestPackErrors packs a recording whose program is no longer the same: it is named.
func TestPackErrors(t *testing.T) {
	digest := sha256.Sum256([]byte("data"))
	path := filepath.Join(t.TempDir(), "program")
	check(t, os.WriteFile(path, []byte("atad"), 0o600))
	file := slices.Concat([]byte{byte(len(path))}, []byte(path), []byte{4}, digest[:])
	from := bytes.NewReader(recfile.WriteTagged(t, "FE", file, []byte("an event")))
	left, err := recfile.Pack(from, new(bytes.Buffer), func([]recfile.File) []string { return nil })
	if err != nil || len(left) != 1 || !strings.Contains(left[0].Error(), path+" has other contents") {
		t.Errorf("%v, %v", left, err)
	}
}

// TestPackMemory packs an event and a file of many megabytes in the memory of some.
func TestPackMemory(t *testing.T) {
	const size = 64 << 20
	data := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	digest := sha256.Sum256(data)
	path := filepath.Join(t.TempDir(), "program")
	check(t, os.WriteFile(path, data, 0o600))
	file := slices.Concat([]byte{byte(len(path))}, []byte(path), binary.AppendUvarint(nil, size), digest[:])
	from := bytes.NewReader(recfile.WriteTagged(t, "FE", file, data))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	left, err := recfile.Pack(from, io.Discard, func([]recfile.File) []string { return nil })
	runtime.ReadMemStats(&after)
	check(t, errors.Join(append(left, err)...))
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > size/4 {
		t.Errorf("%d bytes were allocated", allocated)
	}
}

// TestHostileContents reads contents of files that no recorder writes.
func TestHostileContents(t *testing.T) {
	data := []byte("the contents")
	digest := sha256.Sum256(data)
	file := slices.Concat([]byte("\x02/a\x0c"), digest[:])
	piece := func(digest [32]byte, at byte, data string) []byte {
		return slices.Concat(digest[:], []byte{at}, []byte(data))
	}
	for _, test := range []struct {
		name string
		list [][]byte
	}{
		{"of no file", [][]byte{piece([32]byte{}, 0, "x")}},
		{"beyond the size", [][]byte{piece(digest, 0, "the contents of another file")}},
		{"with a hole", [][]byte{piece(digest, 0, "the"), piece(digest, 4, "contents")}},
		{"too short", [][]byte{digest[:8]}},
	} {
		tags := "F" + strings.Repeat("C", len(test.list))
		_, err := recfile.Read(bytes.NewReader(recfile.WriteTagged(t, tags, append([][]byte{file}, test.list...)...)), nil)
		if !errors.Is(err, recfile.ErrCorrupt) || !strings.Contains(err.Error(), "contents") {
			t.Errorf("contents %s: %v", test.name, err)
		}
	}
}

// TestContentsBudget reads a pack that says that it has much: it is refused before the memory is
// taken. Zeros take none.
func TestContentsBudget(t *testing.T) {
	digest := sha256.Sum256([]byte("x"))
	const size, pieces = 1 << 20, 64
	list := [][]byte{slices.Concat([]byte("\x02/a\x80\x80\x80\x20"), digest[:])} // 64 MiB
	for n := range pieces {
		at := n * size
		head := slices.Concat(digest[:], []byte{byte(at) | 0x80, byte(at>>7) | 0x80, byte(at>>14) | 0x80, byte(at >> 21)})
		list = append(list, append(head, bytes.Repeat([]byte{7}, size)...))
	}
	all := budget.New(16 << 20)
	account := all.Open("reader")
	defer account.Close()
	_, err := recfile.Read(bytes.NewReader(recfile.WriteTagged(t, "F"+strings.Repeat("C", pieces), list...)), account)
	if full := (*budget.Error)(nil); !errors.As(err, &full) {
		t.Errorf("%v", err)
	}
}

// TestHostileExtensions reads lists of extensions that no recorder writes.
func TestHostileExtensions(t *testing.T) {
	const text = "\x09" + "avx\x1b[2Jfma" // a length and as many bytes
	for _, payload := range []string{text, "\x05avx", "\x03avx!"} {
		_, err := recfile.Read(bytes.NewReader(recfile.WriteTagged(t, "X", []byte(payload))), nil)
		if !errors.Is(err, recfile.ErrCorrupt) || !strings.Contains(err.Error(), "extension") {
			t.Errorf("%q: %v", payload, err)
		}
	}
}

// A writer does not keep the room that an image took.
func TestWriterBuffer(t *testing.T) {
	w, err := recfile.NewWriter(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1 << 10, 8 << 20} {
		e := recfile.Event{Kind: recfile.Call, Writes: []recfile.Write{{Address: 1 << 20, Data: make([]byte, size)}}}
		if err := w.Add(&e); err != nil {
			t.Fatal(err)
		}
		if got := w.Buffer(); got > 1<<20 {
			t.Errorf("after an event of %d bytes, %d bytes are kept", size, got)
		}
	}
}
