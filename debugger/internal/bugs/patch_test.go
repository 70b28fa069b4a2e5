package bugs_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// unchecked is a function that uses an iterator and, unless it is mended, does not
// release it.
func unchecked(name, release string) string {
	return fmt.Sprintf(`static int %[1]s(dict *table, long limit)
{
	dictIterator *iter = dictGetIterator(table);
	dictEntry *entry;
	long seen = 0;
	while ((entry = dictNext(iter)) != NULL) {
		if (++seen > limit)
			return -1;
		%[1]sVisit(dictGetKey(entry));
	}
	%[2]sreturn 0;
}
`, name, release)
}

// The diff of git for the fix of the first of them.
const releasePatch = `commit 1234567
Author: A

    Release the iterator

diff --git a/src/keys.c b/src/keys.c
index 0000001..0000002 100644
--- a/src/keys.c
+++ b/src/keys.c
@@ -4,9 +4,12 @@ static int keys(dict *table, long limit)
 	dictEntry *entry;
 	long seen = 0;
 	while ((entry = dictNext(iter)) != NULL) {
-		if (++seen > limit)
+		if (++seen > limit) {
+			dictReleaseIterator(iter);
 			return -1;
+		}
 		keysVisit(dictGetKey(entry));
 	}
+	dictReleaseIterator(iter);
 	return 0;
 }
`

// A search by a patch finds the places that it forgot, whether or not it is applied, and
// neither its own nor those that have what it adds.
func TestSearchByPatch(t *testing.T) {
	const release = "dictReleaseIterator(iter);\n\t"
	other := "int add(int a, int b)\n{\n\treturn a + b;\n}\n"
	for _, applied := range []bool{false, true} {
		keys := unchecked("keys", "")
		if applied {
			keys = strings.Replace(unchecked("keys", release), "\t\t\treturn -1;", "\t\t\t{ dictReleaseIterator(iter); return -1; }", 1)
		}
		folder := write(t, map[string]string{
			"src/keys.c": keys, "src/scan.c": other + unchecked("scan", ""), "src/sets.c": unchecked("sets", release), "src/math.c": other,
			"tests/scan.c": unchecked("scanTest", ""),
		})
		hunks, err := bugs.ParsePatch(releasePatch)
		if err != nil || len(hunks) != 1 || hunks[0].File != "src/keys.c" || hunks[0].Line != 7 {
			t.Fatalf("%+v, %v", hunks, err)
		}
		report := find(t, finder(t, bugs.Config{}), bugs.Request{Path: folder, Patch: hunks})
		var found []string
		for _, f := range report.Findings {
			found = append(found, f.File)
		}
		if len(found) == 0 || found[0] != "src/scan.c" || slices.Contains(found, "src/sets.c") || slices.Contains(found, "src/keys.c") {
			t.Errorf("applied %v: found %v", applied, found)
			continue
		}
		if reason := report.Findings[0].Reason; !strings.Contains(reason, "it lacks what the patch adds: dictReleaseIterator") {
			t.Errorf("the reason is %q", reason)
		}
	}
}

// Changes of a patch that are alike find the same places, each of which is shown once,
// also in the file that the patch changes.
func TestSearchByPatchFindsPlacesOnce(t *testing.T) {
	folder := write(t, map[string]string{
		"src/keys.c": unchecked("keys", "") + unchecked("more", "") + strings.Repeat("\n", 20) + unchecked("third", ""), "src/scan.c": unchecked("scan", ""),
	})
	patch := "--- a/src/keys.c\n+++ b/src/keys.c\n"
	for i, name := range []string{"keys", "more"} {
		first := 6 + i*strings.Count(unchecked(name, ""), "\n")
		patch += fmt.Sprintf("@@ -%d,4 +%d,6 @@\n \twhile ((entry = dictNext(iter)) != NULL) {\n-\t\tif (++seen > limit)\n+\t\tif (++seen > limit) {\n"+
			"+\t\t\tdictReleaseIterator(iter);\n \t\t\treturn -1;\n+\t\t}\n \t\t%sVisit(dictGetKey(entry));\n", first, first+2*i, name)
	}
	hunks, err := bugs.ParsePatch(patch)
	if err != nil {
		t.Fatal(err)
	}
	got := places(find(t, finder(t, bugs.Config{}), bugs.Request{Path: folder, Patch: hunks}))
	sorted := slices.Sorted(slices.Values(got))
	if want := []string{"src/keys.c:51", "src/scan.c:7"}; !slices.Equal(sorted, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// Headers and lines of unified diffs as GNU diff and git write them.
func TestParsePatch(t *testing.T) {
	for name, test := range map[string]struct {
		patch string
		want  string // FILE:FIRST-LAST of each hunk
	}{
		"one line":               {"--- a/x.c\n+++ b/x.c\n@@ -3 +3 @@\n-old\n+new\n", "x.c:3-3"},
		"insertion":              {"--- a/x.c\n+++ b/x.c\n@@ -3,2 +3,3 @@\n one\n+new\n two\n", "x.c:3-3"},
		"at the start":           {"--- a/x.c\n+++ b/x.c\n@@ -1,1 +1,2 @@\n+new\n one\n", "x.c:1-1"},
		"two hunks":              {"--- a/x.c\n+++ b/x.c\n@@ -3 +3 @@\n-old\n+new\n@@ -9,2 +9,1 @@ f()\n a\n-b\n", "x.c:3-3 x.c:10-10"},
		"changes that are apart": {"--- a/x.c\n+++ b/x.c\n@@ -1,7 +1,8 @@\n a\n-b\n c\n+d\n e\n f\n g\n h\n+i\n", "x.c:2-3 x.c:7-7"},
		"two files":              {"--- x.c\t2026-01-01\n+++ x.c\n@@ -1 +1 @@\n-a\n+b\n--- a/y/z.go\n+++ b/y/z.go\n@@ -7 +7 @@\n-a\n+b\n", "x.c:1-1 y/z.go:7-7"},
		"a new file":             {"--- /dev/null\n+++ b/x.c\n@@ -0,0 +1 @@\n+a\n--- a/y.c\n+++ b/y.c\n@@ -1 +1 @@\n-a\n+b\n", "y.c:1-1"},
		"no last end":            {"--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "x.c:1-1"},
		"quoted":                 {"--- \"a/\\303\\274.c\"\n+++ \"b/\\303\\274.c\"\n@@ -1 +1 @@\n-a\n+b\n", "\u00fc.c:1-1"},
		"dashes inside":          {"--- a/x.lua\n+++ b/x.lua\n@@ -1,2 +1,1 @@\n--- gone\n a\n", "x.lua:1-1"},
		"nothing":                {"no patch\n", ""},
		"only headers":           {"--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n a\n", ""},
	} {
		hunks, err := bugs.ParsePatch(test.patch)
		var got []string
		for _, h := range hunks {
			got = append(got, fmt.Sprintf("%s:%d-%d", h.File, h.Line, h.Last))
		}
		if strings.Join(got, " ") != test.want || (test.want == "") != errors.Is(err, bugs.ErrNoHunks) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
