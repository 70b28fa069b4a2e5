package bugs_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// indexed writes a project of n files of several languages and returns it with a
// request that finds something in it.
func indexed(t *testing.T, n int) (string, bugs.Request) {
	t.Helper()
	files := map[string]string{"a.py": "def f(x):\n    return x[0]\n", "b.go": "package b\n\nfunc f(p *int) int { return *p }\n", "empty.rs": ""}
	for i := range n {
		files[fmt.Sprintf("src/%d.c", i)] = broken(fmt.Sprintf("f%d", i))
	}
	folder := write(t, files)
	return folder, bugs.Request{Path: folder, Site: here("src/0.c"), Limit: 100}
}

// indexFile returns the only file of an index.
func indexFile(t *testing.T, folder string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v, want one file", names, err)
	}
	return names[0]
}

// filesRead searches with a new Finder, as after a restart, and returns the number of
// files that it read and what it found.
func filesRead(t *testing.T, config bugs.Config, req bugs.Request) (int, *bugs.Report) {
	t.Helper()
	read := 0
	req.Progress = func(int, int) { read++ }
	report := find(t, finder(t, config), req)
	return read, report
}

// After a restart the index answers as the files do, and only changed files are read.
func TestIndex(t *testing.T) {
	project, req := indexed(t, 40)
	config := bugs.Config{Index: filepath.Join(t.TempDir(), "data", "index")}
	read, first := filesRead(t, config, req)
	if read != 43 || len(first.Findings) == 0 {
		t.Fatalf("%d files read, %d findings", read, len(first.Findings))
	}
	read, again := filesRead(t, config, req)
	if diff := cmp.Diff(first, again); read != 0 || diff != "" {
		t.Errorf("%d files read from the index (-first +again):\n%s", read, diff)
	}
	if err := os.WriteFile(filepath.Join(project, "src/7.c"), []byte("int harmless;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(project, "src/8.c")); err != nil {
		t.Fatal(err)
	}
	read, changed := filesRead(t, config, req)
	_, fresh := filesRead(t, bugs.Config{}, req)
	if diff := cmp.Diff(fresh, changed); read != 1 || diff != "" {
		t.Errorf("%d files read after a change (-without index +with it):\n%s", read, diff)
	}
}

// A damaged file is never trusted: the tree is read again and the file is replaced.
func TestIndexDamaged(t *testing.T) {
	_, req := indexed(t, 5)
	config := bugs.Config{Index: t.TempDir()}
	_, want := filesRead(t, config, req)
	name := indexFile(t, config.Index)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	damaged := [][]byte{nil, whole[:1], whole[:len(whole)/2], whole[:len(whole)-1], append(whole[:len(whole):len(whole)], 0)}
	for range 40 {
		b := append([]byte(nil), whole...)
		b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		damaged = append(damaged, b)
	}
	for i, b := range damaged {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		read, got := filesRead(t, config, req)
		if diff := cmp.Diff(want, got); read != 8 || diff != "" {
			t.Fatalf("damage %d: %d files read, want 8 (-want +got):\n%s", i, read, diff)
		}
		if read, _ := filesRead(t, config, req); read != 0 {
			t.Fatalf("damage %d: the index was not made anew", i)
		}
	}
}

// A file whose content is wrong though its checksum is right does no harm.
func TestIndexForged(t *testing.T) {
	_, req := indexed(t, 5)
	config := bugs.Config{Index: t.TempDir()}
	filesRead(t, config, req)
	name := indexFile(t, config.Index)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		b := append([]byte(nil), whole[:len(whole)-4]...)
		b[random.IntN(len(b))] = byte(random.IntN(256))
		b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		filesRead(t, config, req) // it neither panics nor fails
	}
}

// The files of an index have a limit; the tree that was used last stays.
func TestIndexLimit(t *testing.T) {
	_, small := indexed(t, 5)
	_, large := indexed(t, 200)
	config := bugs.Config{Index: t.TempDir()}
	filesRead(t, config, small)
	info, err := os.Stat(indexFile(t, config.Index))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxIndex = 3 * info.Size()
	filesRead(t, config, large)
	if read, _ := filesRead(t, config, small); read != 0 {
		t.Errorf("%d files of the small tree were read again", read)
	}
	config.MaxIndex = info.Size() * 3 / 2
	_, other := indexed(t, 5)
	filesRead(t, config, other)
	if read, _ := filesRead(t, config, other); read != 0 {
		t.Errorf("%d files of the tree used last were read again", read)
	}
	indexFile(t, config.Index) // the other one has been removed
}

// An index in a folder that cannot be written is as good as none.
func TestIndexNotWritable(t *testing.T) {
	_, req := indexed(t, 5)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, []byte(strings.Repeat("x", 10)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, report := filesRead(t, bugs.Config{Index: filepath.Join(blocked, "index")}, req); len(report.Findings) == 0 {
		t.Error("nothing was found")
	}
}
