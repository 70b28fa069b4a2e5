package rulesets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func revisionOf(number int, markdown string, tags ...string) ruleset.Revision {
	return ruleset.Revision{Number: number, Content: ruleset.Ruleset{Meta: ruleset.Meta{Name: "a", Description: "d", Tags: tags}, Markdown: markdown}}
}

// Prose is compared by words. git diff --word-diff has the same marks.
func TestWordDiff(t *testing.T) {
	const head = "--- a@1\n+++ a@2\n"
	for name, test := range map[string]struct{ before, after, want string }{
		"a word":         {"Write plain code.\n", "Write simple code.\n", head + "…\ntags: []\n---\nWrite [-plain-]{+simple+} code.\n"},
		"none":           {"Same.\n", "Same.\n", ""},
		"a line":         {"one\ntwo\n", "one\nadded\ntwo\n", head + "…\ntags: []\n---\none\n{+added+}\ntwo\n"},
		"words at ends":  {"a b c\n", "b c d\n", head + "…\ntags: []\n---\n[-a -]b c{+ d+}\n"},
		"far lines":      {strings.Repeat("x\n", 9) + "old\n", strings.Repeat("x\n", 9) + "new\n", head + "…\nx\nx\n[-old-]{+new+}\n"},
		"other letters":  {"schön\n", "schöner\n", head + "…\ntags: []\n---\n[-schön-]{+schöner+}\n"},
		"no end of line": {"a", "b", head + "…\ntags: []\n---\n[-a-]{+b+}\n"},
	} {
		if diff := cmp.Diff(test.want, WordDiff(revisionOf(1, test.before), revisionOf(2, test.after), nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzWordDiff takes the marks away: without the added words it is the old text, without
// the deleted ones the new text.
func FuzzWordDiff(f *testing.F) {
	f.Add("a b c\nd", "a c\n\nd e")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.ContainsAny(before+after, "[]{}+-\r") || !strings.HasSuffix(before, "\n") || !strings.HasSuffix(after, "\n") {
			return
		}
		var all []string
		for _, line := range markWords(words(before), words(after)) {
			all = append(all, line.text)
		}
		marked := strings.Join(all, "\n")
		for what, pair := range map[string][3]string{"before": {"{+", "+}", before}, "after": {"[-", "-]", after}} {
			got := without(marked, pair[0], pair[1])
			got = strings.NewReplacer("[-", "", "-]", "", "{+", "", "+}", "").Replace(got)
			if strings.ReplaceAll(got, "\n", "") != strings.ReplaceAll(pair[2], "\n", "") {
				t.Errorf("%s: %q is not %q; marked %q", what, got, pair[2], marked)
			}
		}
	})
}

// without removes what is between two marks.
func without(text, begin, end string) string {
	for {
		before, rest, found := strings.Cut(text, begin)
		if !found {
			return text
		}
		_, after, _ := strings.Cut(rest, end)
		text = before + after
	}
}

func TestCompare(t *testing.T) {
	from, to := revisionOf(1, "one\n", "x", "y"), revisionOf(2, "one\n", "y", "z")
	to.Content.Description = "e"
	got := Compare(from, to, nil)
	want := Comparison{Name: "a", From: 1, To: 2, Description: &[2]string{"d", "e"}, TagsAdded: []string{"z"}, TagsRemoved: []string{"x"}}
	got.Unified, got.Words = "", ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := Compare(from, from, nil); !got.Same || got.Unified != "" || got.Words != "" {
		t.Errorf("the same: %+v", got)
	}
}

// Files that are text are compared by lines and by words, as git does it, and others by size
// and digest. The digests are from sha256sum.
func TestDiffOfFiles(t *testing.T) {
	const onePNG, twoPNG = "\x89PNG\x00one", "\x89PNG\x00two!"
	bytesOf := map[ruleset.Digest]string{}
	with := func(r ruleset.Revision, files ...string) ruleset.Revision {
		for i := 0; i < len(files); i += 2 {
			f := ruleset.FileOf(files[i], []byte(files[i+1]))
			bytesOf[f.SHA256] = files[i+1]
			r.Content.Files = append(r.Content.Files, f)
		}
		return r
	}
	contents := Contents(func(_ ruleset.Name, f ruleset.File) ([]byte, error) { return []byte(bytesOf[f.SHA256]), nil })
	large := strings.Repeat("x\n", 300<<10)
	from := with(revisionOf(1, "m"), "a.py", "one\ntwo\n", "empty", "", "gone.txt", "bye\n", "large", "", "logo.png", onePNG, "same", "s")
	to := with(revisionOf(2, "m"), "a.py", "one\n2\n", "large", large, "logo.png", twoPNG, "new.txt", "hi", "same", "s")
	const (
		none     = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
		largeSum = "d254540d4a7724fb1ddc96985b6cd8e27874447fbb4f6e39d03e7f704ba97086"
		oneSum   = "8e48655699f00f49d9a523b43c5cd88a092e787335610e9e818250e020271895"
		twoSum   = "aff32bb1aa50c53dfb6e5376e97832c51f3f5d080c8faa18ade9800739870fa0"
	)
	want := `--- a@1/a.py
+++ a@2/a.py
@@ -1,2 +1,2 @@
 one
-two
+2
--- a@1/empty
+++ /dev/null
-0 bytes, SHA-256 ` + none + `
--- a@1/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
--- a@1/large
+++ a@2/large
-0 bytes, SHA-256 ` + none + `
+614400 bytes, SHA-256 ` + largeSum + `
--- a@1/logo.png
+++ a@2/logo.png
-8 bytes, SHA-256 ` + oneSum + `
+9 bytes, SHA-256 ` + twoSum + `
--- /dev/null
+++ a@2/new.txt
@@ -0,0 +1 @@
+hi
\ No newline at end of file
`
	if diff := cmp.Diff(want, Diff(from, to, contents)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := WordDiff(from, to, contents); !strings.Contains(got, "--- a@1/a.py\n+++ a@2/a.py\none\n[-two-]{+2+}\n--- a@1/empty\n") {
		t.Errorf("by words:\n%s", got)
	}
	if got := Diff(from, to, nil); !strings.Contains(got, "+++ /dev/null\n-4 bytes, SHA-256 ") {
		t.Errorf("without contents:\n%s", got)
	}
	if Compare(from, to, contents).Same || !Compare(to, to, contents).Same {
		t.Error("the comparison does not see the files")
	}
}
