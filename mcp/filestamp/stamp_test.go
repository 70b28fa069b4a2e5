package filestamp_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// write replaces a file and returns its stamp. Its time of modification is at.
func write(t *testing.T, path, text string, at time.Time) filestamp.Stamp {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := filestamp.Of(info); s.Size() != int64(len(text)) || !s.Modified().Equal(info.ModTime()) {
		t.Errorf("the stamp has size %d and time %v", s.Size(), s.Modified())
	}
	return filestamp.Of(info)
}

// A stamp changes with the size and the time of a file.
func TestStamp(t *testing.T) {
	path, at := filepath.Join(t.TempDir(), "file"), time.Now().Add(-time.Hour)
	first := write(t, path, "one", at)
	if write(t, path, "three", at) == first {
		t.Error("another size has the same stamp")
	}
	if write(t, path, "two", at.Add(time.Second)) == first {
		t.Error("another time has the same stamp")
	}
	if err := errors.Join(os.Chmod(path, 0o640), os.Chtimes(path, at, at)); err != nil {
		t.Fatal(err)
	}
	if now, err := filestamp.Stat(path); err != nil || now == first && runtime.GOOS == "linux" || now.Content() != first.Content() {
		t.Errorf("after a change of the mode: %+v, %v; it was %+v", now, err, first)
	}
	again := write(t, path+".new", "one", at)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if again.Content() == first.Content() && again.Unique() {
		t.Error("another file has the same stamp")
	}
}

// A stamp is settled when another change can no longer have the same time: two
// seconds after the last one, which FAT counts as one.
func TestSettled(t *testing.T) {
	now := time.Now()
	s := write(t, filepath.Join(t.TempDir(), "file"), "text", now.Add(-time.Hour))
	if s.Settled(s.Modified().Add(time.Second)) {
		t.Error("it is settled a second after the change")
	}
	if !s.Settled(now.Add(time.Minute)) { // on Linux the inode has changed now
		t.Error("it is not settled a minute after the change")
	}
	for ahead, want := range map[time.Duration]bool{time.Second: false, time.Hour: true} { // clocks differ
		if got := s.Content().Settled(s.Modified().Add(-ahead)); got != want {
			t.Errorf("%v before the change it is settled: %v", ahead, got)
		}
	}
}

// A stamp that was stored is the same one.
func TestBinary(t *testing.T) {
	want := write(t, filepath.Join(t.TempDir(), "file"), "text", time.Now().Add(-time.Hour))
	data, err := want.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var got filestamp.Stamp
	if err := got.UnmarshalBinary(data); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got.UnmarshalBinary(data[1:]) == nil {
		t.Error("a part of a stamp is one")
	}
}
