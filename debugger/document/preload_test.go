package document_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

func TestPreload(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"in/a.xml": "<a/>", "in/b.xml": "<b>", "in/c.txt": "<c/>", "in/sub/d.xml": "<d/>", "in/sub/deep/e.xml": "<e/>", "out.xml": "<o/>",
	})
	in := filepath.Join(dir, "in")
	lib := open(t, document.Config{Roots: []string{in}})
	root(t, lib, "a.xml")
	var told []string
	progress := func(done, total int, message string) {
		told = append(told, fmt.Sprintf("%d/%d", done, total))
		if message == "" {
			t.Error("no message")
		}
	}
	got, err := lib.Preload(t.Context(), document.PreloadRequest{
		Paths: []string{"*.xml", "sub/**/*.xml", "gone.xml", "../out.xml", "../*.xml", "*.none", "[", "c.txt", "c.txt"},
	}, progress)
	if err != nil {
		t.Fatal(err)
	}
	syntax, notFound, permission := new(*document.SyntaxError), new(*document.NotFoundError), new(*document.PermissionError)
	want := []struct {
		path   string
		cached bool
		err    any
	}{
		{filepath.Join(in, "a.xml"), true, nil},
		{filepath.Join(in, "b.xml"), false, syntax},
		{filepath.Join(in, "sub/d.xml"), false, nil},
		{filepath.Join(in, "sub/deep/e.xml"), false, nil},
		{"gone.xml", false, notFound},
		{"../out.xml", false, permission},
		{"../*.xml", false, permission},
		{"*.none", false, notFound},
		{"[", false, new(error)},
		{"c.txt", false, nil},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d reports, want %d: %v", len(got), len(want), got)
	}
	for i, w := range want {
		g := got[i]
		if g.Path != w.path || g.Cached != w.cached || (g.Err == nil) != (w.err == nil) || w.err != nil && !errors.As(g.Err, w.err) {
			t.Errorf("report %d is %+v, want %+v", i, g, w)
		}
		if g.Err == nil && g.Bytes <= 0 {
			t.Errorf("report %d says that it takes no memory", i)
		}
	}
	if last := fmt.Sprintf("%d/%d", len(want), len(want)); len(told) != len(want) || told[len(told)-1] != last {
		t.Errorf("progress was %v, want %d calls up to %s", told, len(want), last)
	}
	if s := lib.Stats(); s.Entries != 4 {
		t.Errorf("%d documents are in the cache, want 4", s.Entries)
	}
}

// A caller who leaves gets a report on every document all the same.
func TestPreloadCancelled(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i := range 50 {
		name := fmt.Sprintf("%d.xml", i)
		write(t, dir, map[string]string{name: "<a/>"})
		paths = append(paths, name)
	}
	lib := open(t, document.Config{Roots: []string{dir}, Workers: 2})
	ctx, cancel := context.WithCancel(t.Context())
	got, err := lib.Preload(ctx, document.PreloadRequest{Paths: paths}, func(done, _ int, _ string) {
		if done == 10 {
			cancel()
		}
	})
	if err != nil || len(got) != 50 {
		t.Fatalf("got %d reports, %v, want 50", len(got), err)
	}
	for _, r := range got {
		if r.Err != nil && !errors.Is(r.Err, context.Canceled) {
			t.Errorf("%s: %v, want %v or nothing", r.Path, r.Err, context.Canceled)
		}
	}
	if _, err := lib.Preload(ctx, document.PreloadRequest{Paths: paths}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestPatterns(t *testing.T) {
	files := []string{"a.xml", "b.xml", "sub/a.xml", "sub/x/a.xml", "sub/x/y/a.xml", "other/x/a.xml", "other/[x].xml"}
	dir := t.TempDir()
	for _, f := range files {
		write(t, dir, map[string]string{f: "<a/>"})
	}
	lib := open(t, document.Config{Roots: []string{dir}})
	tests := []struct {
		pattern string
		want    string // of the files, joined with blanks; empty for an error
	}{
		{"*.xml", "a.xml b.xml"},
		{"?.xml", "a.xml b.xml"},
		{"[b-z].xml", "b.xml"},
		{"*/a.xml", "sub/a.xml"},
		{"**/a.xml", "a.xml other/x/a.xml sub/a.xml sub/x/a.xml sub/x/y/a.xml"},
		{"sub/**", "sub/a.xml sub/x/a.xml sub/x/y/a.xml"},
		{"**/x/**/a.xml", "other/x/a.xml sub/x/a.xml sub/x/y/a.xml"},
		{"**/**/**/**/y/*", "sub/x/y/a.xml"},
		{`other/\[x\].xml`, "other/[x].xml"},
		{filepath.Join(dir, "sub/*/*.xml"), "sub/x/a.xml"},
		{"sub", ""},
		{"su*", ""},
		{"**/none", ""},
	}
	for _, test := range tests {
		t.Run(test.pattern, func(t *testing.T) {
			reports, err := lib.Preload(t.Context(), document.PreloadRequest{Paths: []string{test.pattern}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range reports {
				if rel, err := filepath.Rel(dir, r.Path); err == nil && r.Err == nil {
					got = append(got, rel)
				}
			}
			slices.Sort(got)
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
