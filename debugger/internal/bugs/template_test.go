package bugs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// A template finds the code that it shows, in any layout, and no other. Lines
// that it is to find end with a comment HERE.
func TestTemplates(t *testing.T) {
	for _, tt := range []struct {
		name, file, template, code string
	}{
		{"use after free", "a.c", "free($x); … use($x)", `
void one(struct list *p, int *q) {
	free(p->next); // HERE
	if (q)
		use( p -> next );
	free(q);
	use(p);
}
void two(int *q) { use(q); free(q); }
void three(int *q) { if (*q) { free(q); } use(q); }
void four(int *q) { free(q); return; use(q); }
void five(struct pool *a) { a->free(a); use(a); release_free(a); }
`},
		{"a value given again", "a.c", "free($x); … use($x)\n! $x =", `
void one(int *q) { free(q); q = next(); use(q); }
void two(int *q, int *r) {
	free(q); // HERE
	r = next();
	use(q);
}
`},
		{"an ellipsis in brackets", "a.cpp", "printf(…, $s, $s)", `
void one() {
	printf("%s %s", name(1), name(2));
	std::printf("%s", f(a, b), s[0].text, s[0].text); // HERE
	printf("%s %s", b, b, c);
}
`},
		{"a certain literal", "a.c", `open("/tmp/x", 0)`, `
int f() { return open("/tmp/y", 0); }
int g() { return open("/tmp/x", // HERE
	0); }
int h() { return open("/tmp/x", 0); } // HERE
`},
		{"what is missing", "a.go", "$f, err := os.Open(…)\n! $f.Close()", `
func one() error {
	f, err := os.Open(name) // HERE
	if err != nil {
		return err
	}
	return read(f)
}
func two() error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return nil
}
`},
		{"lines of Python", "a.py", "$l.acquire()\n…\n$l.release()\n! with", `
def one(self):
    self.lock.acquire()  # HERE
    work()
    self.lock.release()

def two(self, other):
    self.lock.acquire()
    other.release()

def three(self):
    self.lock.acquire()
    with self: pass
    self.lock.release()
`},
		{"a block of JavaScript", "a.js", "if ($x = $y) { … return $x; }", "\nif (a.b = c(1)[2]) { log(); return a.b } // HERE\nif (a == b) { return a; }\n"},
		{"Rust", "a.rs", "$m.lock().unwrap()", "\nfn f() { let a = self.state.lock().unwrap(); } // HERE\nfn g() { self.state.try_lock().unwrap(); }\n"},
		{"PHP, whose names have the sign", "a.php", "mysql_query($q . …)", "<?php\nmysql_query($sql . $_GET['a']); // HERE\nmysql_query($sql);\n"},
		{"a constant", "a.c", "realloc($x, NULL)", "\nvoid f() { realloc(LIST, NULL); } // HERE\n"},
	} {
		template, err := bugs.ParseTemplate(tt.template)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		folder := write(t, map[string]string{tt.file: tt.code, "other.zig": "fn main() void {}\n"})
		report := find(t, finder(t, bugs.Config{}), bugs.Request{Path: folder, Template: template})
		var got []int
		for _, f := range report.Findings {
			got = append(got, f.Line)
		}
		var want []int
		for i, line := range strings.Split(tt.code, "\n") {
			if strings.HasSuffix(line, "HERE") {
				want = append(want, i+1)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got lines %v, want %v", tt.name, got, want)
		}
	}
}

// The reason says what the holes are, the project's own code comes first, and the
// rest is counted.
func TestTemplateReport(t *testing.T) {
	code := "void f(int *p) {\n" + strings.Repeat("\tfree(p);\n\tuse(p);\n", 3) + "}\n"
	folder := write(t, map[string]string{"a/test/x.c": code, "b/y.c": code})
	template, err := bugs.ParseTemplate("free($what); use($what)")
	if err != nil {
		t.Fatal(err)
	}
	report := find(t, finder(t, bugs.Config{}), bugs.Request{Path: folder, Template: template, Limit: 4})
	wantPlaces(t, report, "a/test/x.c:2", "b/y.c:2", "b/y.c:4", "b/y.c:6")
	if f := report.Findings[0]; f.File != "b/y.c" || f.Function != "f" || f.Reason != "it matches the pattern up to line 3; $what is p" {
		t.Errorf("got %+v", f)
	}
	if text := report.Text(); report.More != 2 || !strings.Contains(text, "2 more places match") {
		t.Errorf("got %d more, %q", report.More, text)
	}
}

func TestTemplatesRefused(t *testing.T) {
	for _, tt := range []struct{ template, want string }{
		{"", "it has no code besides holes"},
		{"$x …", "it has no code besides holes"},
		{"f($x); … … g($x)", "it has two ellipses in a row"},
		{"f($a, $b, $c, $d, $e)", "more than 4 holes"},
		{"f($x)\n! $y =", `"$y =" has a hole that the rest lacks`},
		{"f($x)\n! g($x); … h()", `"g($x); … h()" is not one piece of code`},
		{strings.Repeat("f(", 4000), "it has more than 4096 bytes"},
	} {
		if _, err := bugs.ParseTemplate(tt.template); err == nil || err.Error() != tt.want {
			t.Errorf("%.20q: got %v, want %s", tt.template, err, tt.want)
		}
	}
}

// A template that can match in very many ways ends, and so does one with deep
// brackets.
func TestTemplatesEnd(t *testing.T) {
	folder := write(t, map[string]string{"a.c": "void f() {\n" + strings.Repeat("f(a(b)(c)[d], a(b)(c)[d]); {\n", 5_000)})
	for _, text := range []string{"f($a, $b); … f($b, $a); … f($c, $d); … g($a)", strings.Repeat("f(", 1000) + "g", "f(… … … … g)"} {
		template, err := bugs.ParseTemplate(text)
		if err != nil {
			t.Fatal(err)
		}
		if report := find(t, finder(t, bugs.Config{}), bugs.Request{Path: folder, Template: template}); len(report.Findings) > 0 || report.LeftOut > 1 {
			t.Errorf("%.20q found %v, left out %d", text, places(report), report.LeftOut)
		}
	}
}
