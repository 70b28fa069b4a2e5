package debuginfod

import (
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
)

// A server has one debug file, and records what it was asked for.
type server struct {
	*httptest.Server

	mu    sync.Mutex
	paths []string
}

// asked returns the paths that were asked for.
func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.paths)
}

// serve starts a server that has the text of a file under a build id.
func serve(t *testing.T, id string, text []byte) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.paths = append(s.paths, r.URL.Path)
		s.mu.Unlock()
		if r.URL.Path != "/buildid/"+id+"/debuginfo" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text) // the client may have gone
	}))
	t.Cleanup(s.Close)
	return s
}

func client(t *testing.T, urls string) *Client {
	t.Helper()
	c, err := New(urls, filepath.Join(t.TempDir(), "debuginfod"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// program returns a program without debug information, its build id and its debug file.
func program(t *testing.T) (stripped, id string, debug []byte) {
	t.Helper()
	symbolstest.Need(t, "gcc", "strip", "objcopy")
	exe := symbolstest.Compile(t, "cold.c", "-O0", "-Wl,--build-id")
	stripped, file := filepath.Join(t.TempDir(), "program"), filepath.Join(t.TempDir(), "debug")
	symbolstest.Run(t, nil, "strip", "-o", stripped, exe)
	symbolstest.Run(t, nil, "objcopy", "--only-keep-debug", exe, file)
	debug, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o := elffile.OpenPath(exe)
	defer func() { _ = o.Close() }()
	return stripped, hex.EncodeToString(o.BuildID()), debug
}

// TestFind: a program without debug information gets it from the second server, once;
// without a client nothing is asked for.
func TestFind(t *testing.T) {
	stripped, id, debug := program(t)
	empty, full := serve(t, "", nil), serve(t, id, debug)
	functions := func(find func(string) string) bool {
		p := symbolstest.Open(t, stripped, symbols.Config{DebugDirs: []string{}, FindDebug: find})
		return p.Images()[0].DebugInfo() != nil
	}
	if functions(nil) || len(full.asked()) != 0 {
		t.Fatalf("without a client %q was asked for", full.asked())
	}
	c := client(t, empty.URL+" "+full.URL)
	for range 2 {
		if !functions(c.Find) {
			t.Error("the program has no debug information")
		}
	}
	want := "/buildid/" + id + "/debuginfo"
	for _, s := range []*server{empty, full} {
		if strings.Join(s.asked(), " ") != want {
			t.Errorf("%q was asked for, want %s once", s.asked(), want)
		}
	}
}

// TestRefused: files that are too large, damaged, or of another program are not kept,
// and not asked for again at once.
func TestRefused(t *testing.T) {
	_, id, debug := program(t)
	other := strings.Repeat("ab", 20)
	for name, tt := range map[string]struct {
		id    string
		text  []byte
		limit int64
	}{
		"too large":       {id, debug, int64(len(debug)) - 1},
		"another program": {other, debug, maxFile},
		"no ELF file":     {id, []byte("sorry"), maxFile},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tt.id, tt.text)
			c := client(t, s.URL)
			c.limit = tt.limit
			for range 2 {
				if path := c.Find(tt.id); path != "" {
					t.Errorf("%s was kept", path)
				}
			}
			left, err := os.ReadDir(c.folder)
			if err != nil || len(left) != 0 || len(s.asked()) != 1 {
				t.Errorf("%v is left, %v; asked for %q", left, err, s.asked())
			}
		})
	}
}

// TestIDs: nothing but a build id becomes part of a path.
func TestIDs(t *testing.T) {
	s := serve(t, "", nil)
	c := client(t, s.URL)
	for _, id := range []string{"", "../../../../etc/passwd", "ABCDEFABCDEFABCDEF", strings.Repeat("a", 130)} {
		if c.Find(id) != "" || len(s.asked()) != 0 {
			t.Errorf("%q was asked for as %q", id, s.asked())
		}
	}
}

// TestURLs: other machines are asked over TLS only, also after a redirection.
func TestURLs(t *testing.T) {
	for urls, want := range map[string]bool{
		"https://debuginfod.example": true, "http://127.0.0.1:8002 http://localhost": true,
		"http://debuginfod.example": false, "": false, "file:///etc": false, "debuginfod.example": false,
	} {
		if _, err := New(urls, t.TempDir(), slog.New(slog.DiscardHandler)); (err == nil) != want {
			t.Errorf("%q: %v", urls, err)
		}
	}
	target := httptest.NewServer(http.RedirectHandler("http://debuginfod.example/x", http.StatusFound))
	defer target.Close()
	if path := client(t, target.URL).Find(strings.Repeat("ab", 20)); path != "" {
		t.Errorf("a redirection to http was followed to %s", path)
	}
}

// TestTrim: the oldest files make room.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"c", "b", "a"} { // a is the newest
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Unix(int64(1000+i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := trim(dir, 150, filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "c" {
		t.Errorf("%v is left, %v, want c alone", left, err)
	}
}
