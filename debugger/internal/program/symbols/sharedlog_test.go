package symbols_test

import (
	"bytes"
	"debug/elf"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
)

// Errors in debug information, which programs may share, are logged with the path of
// the file and without the program that read it first.
func TestSharedLog(t *testing.T) {
	path := damagedLines(t, symbolstest.Compile(t, "optimized.c", "-O0"))
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p := symbolstest.Open(t, path, symbols.Config{Log: log.With("pid", 4711), SharedLog: log})
	if p.Images()[0].DebugInfo() == nil { // of all units
		t.Fatal("there is no debug information")
	}
	addrs, err := p.Lookup(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	_, _, _ = p.Line(addrs[0]) // there is none
	if got := text.String(); !strings.Contains(got, "line table is damaged") || !strings.Contains(got, "path="+path) || strings.Contains(got, "4711") {
		t.Errorf("the log has %q", got)
	}
}

// damagedLines returns the path of a copy of a program whose line tables have no known
// version.
func damagedLines(t *testing.T, exe string) string {
	t.Helper()
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	at := f.Section(".debug_line").Offset + 4 // after the length of the first unit
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	text[at], text[at+1] = 0xFF, 0xFF
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
