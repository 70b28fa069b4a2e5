package recording_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// TestExtensions reads which extensions of the instruction set a recording has needed: those
// of this processor, as the system lists them. A replay that fails names the missing ones.
func TestExtensions(t *testing.T) {
	r := open(t, record(t, "/bin/true").file)
	text, err := os.ReadFile("/proc/cpuinfo")
	check(t, err)
	for _, name := range r.Extensions {
		if !bytes.Contains(text, []byte(" "+name+" ")) && !bytes.Contains(text, []byte(" "+name+"\n")) {
			t.Errorf("%q is not one of this processor", name)
		}
	}
	if want := "cx16"; bytes.Contains(text, []byte(want)) != slices.Contains(r.Extensions, want) {
		t.Errorf("extensions %q", r.Extensions)
	}
	h := hostile(t, "\x0f\x0b")
	h.Extensions = append(r.Extensions, "avx1024")
	_, err = replay.NewTimeline(t.Context(), h)
	if _, ok := errors.AsType[*replay.DivergenceError](err); !ok || !strings.HasSuffix(err.Error(), "that this one lacks: avx1024") {
		t.Errorf("%v", err)
	}
}

// TestMissingFiles opens a recording whose files are not there: all are listed.
func TestMissingFiles(t *testing.T) {
	r := open(t, record(t, "/bin/true").file)
	lacking := r.Lacking()
	if len(lacking) < 2 {
		t.Skip("the program has no libraries")
	}
	for n, f := range r.Files {
		if slices.Contains(lacking, f) {
			r.Files[n].Path = "/nowhere" + f.Path
		}
	}
	_, err := replay.NewTimeline(t.Context(), r)
	for _, f := range lacking {
		if err == nil || !strings.Contains(err.Error(), "/nowhere"+f.Path) {
			t.Errorf("%v: it does not name %s", err, f.Path)
		}
	}
}
