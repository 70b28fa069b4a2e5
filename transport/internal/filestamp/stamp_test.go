package filestamp_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/filestamp"
)

// A stamp changes with the size, the time and the file itself.
func TestStamp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	at := time.Now().Add(-time.Minute)
	write := func(text string, at time.Time) filestamp.Stamp {
		t.Helper()
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path+".new", at, at); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if one, two := filestamp.Of(info), filestamp.Of(info); one != two {
			t.Error("one state has two stamps")
		}
		return filestamp.Of(info)
	}
	first := write("one", at)
	if write("three", at) == first {
		t.Error("another size has the same stamp")
	}
	if write("one", at.Add(time.Millisecond)) == first {
		t.Error("another time has the same stamp")
	}
	if write("two", at) == first && runtime.GOOS != "windows" {
		t.Error("another file has the same stamp")
	}
	for _, tc := range []struct {
		at   time.Time
		want bool
	}{{at, true}, {time.Now(), false}, {time.Now().Add(time.Second), false}, {time.Now().Add(time.Hour), true}} {
		if got := write("one", tc.at).Settled(); got != tc.want {
			t.Errorf("a file changed at %v is settled: %v", tc.at, got)
		}
	}
}
