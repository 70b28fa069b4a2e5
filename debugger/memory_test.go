package debugger_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// TestFileMemory opens a recording of some KiB that takes 40 MiB: it is refused with the flag that
// permits it, as often as it is tried, and opened with that.
func TestFileMemory(t *testing.T) {
	dir := t.TempDir()
	var file bytes.Buffer
	w, err := recfile.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	none := recfile.Remap{Mapping: recfile.Mapping{File: -1}}
	for _, e := range []recfile.Event{
		{Kind: recfile.Image, Remap: none, Writes: []recfile.Write{{Address: 1 << 32, Data: bytes.Repeat([]byte{1}, 40<<20)}}},
		{Kind: recfile.Ended, Position: 1, Remap: none},
	} {
		if err := w.Add(&e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if file.Len() > 64<<10 {
		t.Fatalf("the recording has %d bytes", file.Len())
	}
	if err := os.WriteFile(filepath.Join(dir, "large"), file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	c := connect(t, table(t, debugger.Config{Traces: []string{dir}, FileMemory: 16}))
	for range 3 {
		contains(t, c.fails("open_trace", args{"file": "large"}, -1), "the recording cannot be opened", "of the 16 MiB", "--debug-memory ")
	}
	c = connect(t, table(t, debugger.Config{Traces: []string{dir}, FileMemory: 64}))
	contains(t, c.fails("open_trace", args{"file": "large"}, -1), "of no mapping")
}

// TestHostileMemory opens a trace and a core file that say that they hold much: what is refused is
// not allocated first.
func TestHostileMemory(t *testing.T) {
	dir := t.TempDir()
	// A header that has 40 MiB: docs/trace-format.md.
	block := binary.LittleEndian.AppendUint32([]byte("triptych trace\r\n\x01\x00H"), 40<<20)
	sparse(t, filepath.Join(dir, "trace"), block, 41<<20)
	// 200,000 segments, of which the first section has the number: elf(5), PN_XNUM.
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_CORE), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: 64,
		Phoff: 128, Phentsize: 56, Phnum: 0xffff, Shoff: 64, Shentsize: 64, Shnum: 1,
	}
	var core bytes.Buffer
	for _, part := range []any{header, elf.Section64{Info: 200_000}} {
		if err := binary.Write(&core, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	sparse(t, filepath.Join(dir, "core"), core.Bytes(), 128+200_000*56)

	c := connect(t, table(t, debugger.Config{Traces: []string{dir}, FileMemory: 16}))
	contains(t, c.fails("open_trace", args{"file": "trace"}, -1), "of the 16 MiB", "--debug-memory ")
	contains(t, c.fails("open_core", args{"core": "core"}, -1), "of the 16 MiB", "--debug-memory ")
}

// sparse writes a file that begins with some bytes and has zeros behind them.
func sparse(t *testing.T, path string, begins []byte, size int64) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, begins, 0o600), os.Truncate(path, size)); err != nil {
		t.Fatal(err)
	}
}
