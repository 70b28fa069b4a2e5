package bugs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// write makes files below a folder and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func finder(t testing.TB, config bugs.Config) *bugs.Finder {
	t.Helper()
	f, err := bugs.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func find(t testing.TB, f *bugs.Finder, req bugs.Request) *bugs.Report {
	t.Helper()
	r, err := f.Find(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// broken is a file with a use after free in a function of the given name, in
// line 4.
func broken(name string) string {
	return fmt.Sprintf(`int %[1]s(struct row *%[1]s_row, int n)
{
	free(%[1]s_row);
	return %[1]s_row->count + n;
}
`, name)
}

// here is the site in broken.
func here(file string) bugs.Site { return bugs.Site{File: file, Line: 4, Signal: "SIGSEGV"} }

// places are the findings as file:line.
func places(r *bugs.Report) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, fmt.Sprintf("%s:%d", f.File, f.Line))
	}
	slices.Sort(all)
	return all
}

func wantPlaces(t *testing.T, r *bugs.Report, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, places(r)); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

func TestFinding(t *testing.T) {
	folder := write(t, map[string]string{"a.c": broken("one"), "src/b.c": "// a copy\n" + broken("two")})
	r := find(t, finder(t, bugs.Config{}), bugs.Request{Path: folder, Site: here("a.c")})
	want := &bugs.Report{
		Diagnosis: bugs.Diagnosis{
			Kind: bugs.UseAfterFree, Class: bugs.Memory, Title: "Potential use after free",
			Reason: "memory was accessed that is not mapped or protected; the memory was given back before",
		},
		Findings: []bugs.Finding{{
			File: "src/b.c", Line: 5, Function: "two", Kind: bugs.UseAfterFree, Title: "Potential use after free",
			Confidence: 100, Rule: "c-use-after-free", Reason: "the memory was given back before; it shares the names count, free, row",
			Excerpt: "  {\n  \tfree(two_row);\n> \treturn two_row->count + n;\n  }",
		}},
		Files: 2, Lines: 11, Complete: true,
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// The same risk counts in another language, where no code can be compared.
func TestSameRiskElsewhere(t *testing.T) {
	folder := write(t, map[string]string{
		"a.c":  "int f(void) {\n\treturn strlen(getenv(\"HOME\"));\n}\n",
		"b.go": "package b\n\nfunc f() int {\n\tvar p *point\n\treturn p.x\n}\n",
		"c.c":  "int f(void) {\n\tchar *home = getenv(\"HOME\");\n\tif (!home) return 0;\n\treturn strlen(home);\n}\n",
	})
	var null uint64
	r := find(t, finder(t, bugs.Config{}), bugs.Request{Path: folder, Site: bugs.Site{Signal: "SIGSEGV", FaultAddress: &null}})
	wantPlaces(t, r, "a.c:2", "b.go:5")
	if got := r.Findings[0]; got.File != "b.go" || got.Confidence != 85 {
		t.Errorf("first is %+v, want the surest risk", got)
	}
}

// Files of others, and files that are no programs, are left out.
func TestWhatIsSearched(t *testing.T) {
	folder := write(t, map[string]string{
		"a.c":                     broken("site"),
		"kept/a.c":                broken("kept"),
		"vendor/x/a.c":            broken("vendored"),
		"kept/node_modules/x/a.c": broken("installed"),
		".cache/a.c":              broken("hidden"),
		".gitignore":              "*.gen.c\n/out/\n",
		"kept/b.gen.c":            broken("generated"),
		"out/a.c":                 broken("built"),
		"kept/out/a.c":            broken("other"),
		"kept/.gitignore":         "!b.gen.c\nmine.c\n",
		"kept/mine.c":             broken("mine"),
		"mine.c":                  broken("not_mine"),
		"binary.c":                broken("binary") + "\x00",
		"minified.c":              strings.ReplaceAll(broken("minified"), "\n", " ") + strings.Repeat("int a; ", 2000),
		"large.c":                 broken("large") + strings.Repeat("int a;\n", 20_000),
		"notes.txt":               broken("notes"),
	})
	r := find(t, finder(t, bugs.Config{MaxFileBytes: 100_000}), bugs.Request{Path: folder, Site: here("a.c"), Limit: 50})
	wantPlaces(t, r, "kept/a.c:4", "kept/b.gen.c:4", "kept/out/a.c:4", "mine.c:4")
	if r.Files != 5 || r.LeftOut != 3 || !r.Complete {
		t.Errorf("%d files, %d left out, complete: %v", r.Files, r.LeftOut, r.Complete)
	}
}

// The lists above the search path count as far as the repository goes.
func TestIgnoredAboveTheSearchPath(t *testing.T) {
	folder := write(t, map[string]string{
		".gitignore":         "*.c\n",
		"repo/.git/HEAD":     "",
		"repo/.gitignore":    "src/old/\n",
		"repo/src/a.c":       broken("site"),
		"repo/src/old/a.c":   broken("old"),
		"repo/src/new/old.c": broken("new"),
	})
	r := find(t, finder(t, bugs.Config{}), bugs.Request{Path: filepath.Join(folder, "repo/src"), Site: here("a.c")})
	wantPlaces(t, r, "new/old.c:4")
}

// A link in the tree leads nowhere, a link to the tree does.
func TestLinks(t *testing.T) {
	outside := write(t, map[string]string{"secret.c": broken("secret")})
	folder := write(t, map[string]string{"a.c": broken("site"), "b.c": broken("copy")})
	link(t, outside, filepath.Join(folder, "folder"))
	link(t, filepath.Join(outside, "secret.c"), filepath.Join(folder, "file.c"))
	link(t, "..", filepath.Join(folder, "loop"))
	through := filepath.Join(t.TempDir(), "tree")
	link(t, folder, through)
	f := finder(t, bugs.Config{})
	for _, path := range []string{folder, through} {
		wantPlaces(t, find(t, f, bugs.Request{Path: path, Site: here("a.c")}), "b.c:4")
	}
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skipf("no links here: %v", err)
	}
}

// Only what changed is read again.
func TestSecondSearchReadsWhatChanged(t *testing.T) {
	folder := write(t, map[string]string{"a.c": broken("site"), "b.c": broken("two"), "c.c": broken("three")})
	f := finder(t, bugs.Config{})
	read := 0
	req := bugs.Request{Path: folder, Site: here("a.c"), Progress: func(_, total int) { read = total }}
	for _, step := range []struct {
		name   string
		change func() error
		read   int
		want   []string
	}{
		{"first", func() error { return nil }, 3, []string{"b.c:4", "c.c:4"}},
		{"unchanged", func() error { return nil }, 0, []string{"b.c:4", "c.c:4"}},
		{"longer", func() error {
			return os.WriteFile(filepath.Join(folder, "b.c"), []byte("\n\n"+broken("two")), 0o600)
		}, 1, []string{"b.c:6", "c.c:4"}},
		{"gone", func() error { return os.Remove(filepath.Join(folder, "c.c")) }, 0, []string{"b.c:6"}},
		{"new", func() error {
			return os.WriteFile(filepath.Join(folder, "d.c"), []byte(broken("four")), 0o600)
		}, 1, []string{"b.c:6", "d.c:4"}},
		{"replaced by one of the same size and time", func() error { return replace(folder, "d.c", broken("fixe")) }, 1, []string{"b.c:6", "d.c:4"}},
	} {
		read = 0
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		r := find(t, f, req)
		if read != step.read {
			t.Errorf("%s: %d files were read, want %d", step.name, read, step.read)
		}
		wantPlaces(t, r, step.want...)
	}
}

// replace puts another file in the place of one, with its size and time.
func replace(folder, name, text string) error {
	path := filepath.Join(folder, name)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	other := filepath.Join(folder, "other")
	return errors.Join(
		os.WriteFile(other, []byte(text), 0o600),
		os.Chtimes(other, info.ModTime(), info.ModTime()),
		os.Rename(other, path))
}

// Nothing outside of the roots is read, or told from what is not there.
func TestRoots(t *testing.T) {
	outside := write(t, map[string]string{"a.c": broken("outside")})
	folder := write(t, map[string]string{"in/a.c": broken("site"), "in/b.c": broken("copy")})
	link(t, outside, filepath.Join(folder, "in", "link"))
	f := finder(t, bugs.Config{Roots: []string{filepath.Join(folder, "in")}})
	for _, path := range []string{folder, outside, filepath.Join(folder, "in", "link"), filepath.Join(folder, "in", ".."), "/nowhere"} {
		_, err := f.Find(t.Context(), bugs.Request{Path: path, Class: bugs.Memory})
		if denied, ok := errors.AsType[*bugs.PathError](err); !ok || !denied.Denied {
			t.Errorf("%s: %v, want it denied", path, err)
		}
	}
	wantPlaces(t, find(t, f, bugs.Request{Path: filepath.Join(folder, "in"), Site: here("a.c")}), "b.c:4")
	r := find(t, f, bugs.Request{Path: filepath.Join(folder, "in"), Site: here(filepath.Join(outside, "a.c"))})
	if r.Diagnosis.Kind != bugs.UseAfterFree { // a.c of the tree stands for it
		t.Errorf("diagnosis is %+v", r.Diagnosis)
	}
}

func TestErrors(t *testing.T) {
	folder := write(t, map[string]string{"a.c": broken("site")})
	f := finder(t, bugs.Config{})
	if _, err := f.Find(t.Context(), bugs.Request{Path: folder}); !errors.Is(err, bugs.ErrNothingToCompare) {
		t.Errorf("without a site: %v", err)
	}
	_, err := f.Find(t.Context(), bugs.Request{Path: filepath.Join(folder, "none"), Class: bugs.Memory})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	if _, err = f.Find(t.Context(), bugs.Request{Path: os.DevNull, Class: bugs.Memory}); err == nil {
		t.Error("a device was searched")
	}
}

// The site may lie outside of the tree, in a part of it that is not searched, or
// have been built somewhere else.
func TestWhereTheSiteIs(t *testing.T) {
	outside := write(t, map[string]string{"away.c": broken("away")})
	folder := write(t, map[string]string{
		"src/a.c": broken("a"), "lib/a.c": "int a;\n", "src/b.c": broken("b"), "vendor/v.c": broken("v"),
	})
	f := finder(t, bugs.Config{})
	for _, c := range []struct {
		name, file string
		want       []string
	}{
		{"in the tree", "src/a.c", []string{"src/b.c:4"}},
		{"by its whole path", filepath.Join(folder, "src/a.c"), []string{"src/b.c:4"}},
		{"by another machine's path", "/build/project/src/a.c", []string{"src/b.c:4"}},
		{"outside", filepath.Join(outside, "away.c"), []string{"src/a.c:4", "src/b.c:4"}},
		{"in a vendored folder", "vendor/v.c", []string{"src/a.c:4", "src/b.c:4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := find(t, f, bugs.Request{Path: folder, Site: here(c.file)})
			if r.Diagnosis.Kind != bugs.UseAfterFree {
				t.Errorf("diagnosis is %+v", r.Diagnosis)
			}
			wantPlaces(t, r, c.want...)
		})
	}
	r := find(t, f, bugs.Request{Path: folder, Site: here("nowhere.c")})
	if r.Diagnosis.Kind != bugs.WildPointer {
		t.Errorf("without code, diagnosis is %+v", r.Diagnosis)
	}
}

func TestOneFile(t *testing.T) {
	folder := write(t, map[string]string{"a.c": broken("one") + broken("two"), "b.c": broken("three")})
	r := find(t, finder(t, bugs.Config{}), bugs.Request{Path: filepath.Join(folder, "a.c"), Site: here("a.c")})
	wantPlaces(t, r, "a.c:9")
}

func TestLimit(t *testing.T) {
	files := map[string]string{"site.c": broken("site")}
	for i := range 120 {
		files[fmt.Sprintf("f%03d.c", i)] = broken(fmt.Sprintf("f%d", i))
	}
	folder := write(t, files)
	f := finder(t, bugs.Config{})
	for _, c := range []struct{ asked, want int }{{0, 10}, {3, 3}, {-1, 10}, {1000, 100}} {
		r := find(t, f, bugs.Request{Path: folder, Site: here("site.c"), Limit: c.asked})
		if len(r.Findings) != c.want || r.Findings[0].File != "f000.c" {
			t.Errorf("limit %d: %d findings, the first in %s", c.asked, len(r.Findings), r.Findings[0].File)
		}
	}
}

// A search that is given up keeps what it read.
func TestCancel(t *testing.T) {
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("f%03d.c", i)] = broken(fmt.Sprintf("f%d", i))
	}
	folder := write(t, files)
	f := finder(t, bugs.Config{Workers: 1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req := bugs.Request{Path: folder, Site: here("f000.c"), Progress: func(done, _ int) {
		if done >= 100 {
			cancel()
		}
	}}
	if _, err := f.Find(ctx, req); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	left := 0
	req.Progress = func(_, total int) { left = total }
	if r := find(t, f, req); !r.Complete || r.Files != 400 {
		t.Errorf("then %d files, complete: %v", r.Files, r.Complete)
	}
	if left < 100 || left > 300 {
		t.Errorf("%d files were left", left)
	}
}

// Progress comes in order and ends with all files.
func TestProgress(t *testing.T) {
	files := map[string]string{}
	for i := range 250 {
		files[fmt.Sprintf("f%03d.c", i)] = broken(fmt.Sprintf("f%d", i))
	}
	folder := write(t, files)
	last, calls := 0, 0
	find(t, finder(t, bugs.Config{Workers: 4}), bugs.Request{Path: folder, Class: bugs.Memory, Progress: func(done, total int) {
		if done <= last || total != 250 {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
		calls++
	}})
	if last != 250 || calls > 130 {
		t.Errorf("%d calls, the last for %d", calls, last)
	}
}

// Time, memory and files have an end, and the report says so.
func TestBounds(t *testing.T) {
	files := map[string]string{"a.c": broken("site")}
	for i := range 50 {
		files[fmt.Sprintf("f%03d.c", i)] = strings.Repeat(broken(fmt.Sprintf("f%d", i)), 20)
	}
	folder := write(t, files)
	for _, c := range []struct {
		name   string
		config bugs.Config
	}{
		{"files", bugs.Config{MaxFiles: 10}},
		{"memory", bugs.Config{MaxMemory: 20_000}},
		{"time", bugs.Config{MaxScan: time.Nanosecond}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := find(t, finder(t, c.config), bugs.Request{Path: folder, Site: here("a.c")})
			if r.Complete || r.Files > 40 {
				t.Errorf("%d files, complete: %v", r.Files, r.Complete)
			}
		})
	}
}

// The trees that were searched longest ago are forgotten first.
func TestForgetting(t *testing.T) {
	text := strings.Repeat(broken("a"), 60)
	first := write(t, map[string]string{"a.c": text})
	second := write(t, map[string]string{"a.c": text})
	f := finder(t, bugs.Config{MaxMemory: 20_000})
	for _, c := range []struct {
		path string
		read int
	}{{first, 1}, {first, 0}, {second, 1}, {second, 0}, {first, 1}} {
		read := 0
		find(t, f, bugs.Request{Path: c.path, Class: bugs.Memory, Progress: func(_, n int) { read = n }})
		if read != c.read {
			t.Errorf("%s: %d files were read, want %d", c.path, read, c.read)
		}
	}
}

// Any number of workers and of searches at once say the same.
func TestSearchesAtOnce(t *testing.T) {
	folder := t.TempDir()
	haystack(t, folder, 2000)
	for i := range 30 {
		put(t, filepath.Join(folder, fmt.Sprintf("f%d.c", i)), broken(fmt.Sprintf("f%d", i)))
	}
	req := bugs.Request{Path: folder, Site: here("f7.c"), Limit: 100}
	want := find(t, finder(t, bugs.Config{Workers: 1}), req)
	shared := finder(t, bugs.Config{Workers: 3})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := shared.Find(t.Context(), req)
			if err != nil {
				t.Error(err)
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-one worker +many):\n%s", diff)
			}
		})
	}
	wg.Wait()
}

// A place of which nothing is known to be wrong gets no findings of rules: other
// risks in the project have nothing to do with it. Those of the place's own kind do.
func TestRulesOfThePlaceOnly(t *testing.T) {
	const risky = "void r%d(char *text) {\n\tused++;\n\ttext = realloc(text, 8);\n}\n"
	const plain = "int total(const struct row *rows, int n) {\n\tint sum = 0;\n\tfor (int i = 0; i < n; i++)\n\t\tsum += rows[i].value;\n\treturn sum;\n}\n"
	files := map[string]string{"plain.c": plain}
	for i := range 5 {
		files[fmt.Sprintf("risky%d.c", i)] = fmt.Sprintf(risky, i)
	}
	folder := write(t, files)
	f := finder(t, bugs.Config{})
	if got := find(t, f, bugs.Request{Path: folder, Site: bugs.Site{File: "plain.c", Line: 4}}); len(got.Findings) != 0 {
		t.Errorf("a place without a risk: got %+v, want no findings", got.Findings)
	}
	if got := find(t, f, bugs.Request{Path: folder, Site: bugs.Site{File: "risky0.c", Line: 3}}); len(got.Findings) != 4 {
		t.Errorf("a place with a risk: got %d findings, want the other 4", len(got.Findings))
	}
	if got := find(t, f, bugs.Request{Path: folder, Class: bugs.Memory}); len(got.Findings) != 5 {
		t.Errorf("a class: got %d findings, want 5", len(got.Findings))
	}
}

// Places that share rare names with the site are found though their code differs, and
// the reason names them. Tests rank behind the project's own code.
func TestSharedNames(t *testing.T) {
	files := map[string]string{
		"site.c": "void load(struct ctx *c)\n{\n\tint n = lua_checkstack(c->state, 20);\n\tluaPushKeys(c, n);\n}\n",
		"other.c": "int reload(struct conf *conf, int depth)\n{\n\twhile (depth-- > 0) {\n\t\tif (conf->quiet)\n\t\t\tcontinue;\n" +
			"\t\tluaPushKeys(conf->ctx, lua_checkstack(conf->ctx->state, depth));\n\t}\n\treturn 0;\n}\n",
		"tests/check.c": "void check(void) { luaPushKeys(t, lua_checkstack(t->state, 1)); }\n",
	}
	for i := range 40 {
		files[fmt.Sprintf("more%d.c", i)] = fmt.Sprintf("int more%[1]d(int a)\n{\n\tswitch (a) {\n\tcase %[1]d: return first%[1]d(a);\n\tdefault: return second%[1]d(a);\n\t}\n}\n", i)
	}
	got := find(t, finder(t, bugs.Config{}), bugs.Request{Path: write(t, files), Site: bugs.Site{File: "site.c", Line: 3}})
	if diff := cmp.Diff([]string{"other.c:6", "tests/check.c:1"}, places(got)); diff != "" {
		t.Fatalf("places (-want +got)\n%s", diff)
	}
	if reason := got.Findings[0].Reason; !strings.Contains(reason, "lua_checkstack") || !strings.Contains(reason, "luaPushKeys") {
		t.Errorf("the reason is %q, want one with the names", reason)
	}
}
