package main

import (
	"slices"
	"strings"
	"testing"
)

const alikeDiff = `diff --git a/src/a.c b/src/a.c
--- a/src/a.c
+++ b/src/a.c
@@ -10,0 +11,2 @@ int f(void)
+	if (buffer == NULL)
+		return allocation_failed;
@@ -40 +42 @@ int g(void)
-	return used_elsewhere(x);
+	return something_else(y, z);
diff --git a/src/b.c b/src/b.c
--- a/src/b.c
+++ b/src/b.c
@@ -7 +7,2 @@ int h(void)
+	if (other == NULL)
+		return allocation_failed;
diff --git a/tests/b.c b/tests/b.c
--- a/tests/b.c
+++ b/tests/b.c
@@ -3,0 +4,2 @@
+	if (buffer == NULL)
+		return allocation_failed;
`

func TestFixOf(t *testing.T) {
	f, ok := fixOf(alikeDiff)
	want := []place{{"src/a.c", 10}, {"src/b.c", 7}}
	if !ok || f.language != "C" || !slices.Equal(f.places, want) {
		t.Errorf("got %+v, %v, want the places %v", f, ok, want)
	}
	if f, ok := fixOf(strings.ReplaceAll(alikeDiff, "src/b.c", "vendor/b.c")); ok {
		t.Errorf("one place alone: got %+v", f)
	}
}

func TestParseFix(t *testing.T) {
	const row = "owner+name\t0a12\tGo\tx/a.go:3 b.go:17"
	f, err := parseFix(row)
	if err != nil || f.String() != row || f.half() != "tuning" {
		t.Errorf("got %q of the half %s, %v, want %q", f, f.half(), err, row)
	}
	for _, bad := range []string{"", "a\tb\tc", "a\tb\tc\tx.go"} {
		if f, err := parseFix(bad); err == nil {
			t.Errorf("%q: got %+v", bad, f)
		}
	}
}

// Two of three places are among the findings, the first of them second. The first
// finding, which is wrong, is not likely.
func TestScore(t *testing.T) {
	var s score
	s.add(
		[]answer{{place{"a.c", 1}, false}, {place{"b.c", 20}, true}, {place{"c.c", 5}, true}, {place{"b.c", 90}, true}},
		[]place{{"b.c", 25}, {"b.c", 100}, {"d.c", 1}},
	)
	if s.recall != 2.0/3 || s.rank != 0.5 || s.top != 0.5 || s.sureTop != 2.0/3 {
		t.Errorf("got recall %v, rank %v, precision %v and %v, want 2/3, 1/2, 1/2, 2/3", s.recall, s.rank, s.top, s.sureTop)
	}
}

// The table of fixes can be read, and both halves have some of each project.
func TestFixes(t *testing.T) {
	all, err := readFixes("testdata/fixes.tsv", "all")
	if err != nil || len(all) < 150 {
		t.Fatalf("got %d fixes, %v, want at least 150", len(all), err)
	}
	halves := map[string]int{}
	for _, f := range all {
		halves[f.project+" "+f.half()]++
		if len(f.places) < 2 {
			t.Errorf("%s has %d places", f.commit, len(f.places))
		}
	}
	for _, group := range projects(all) {
		for _, half := range []string{"tuning", "reporting"} {
			if halves[group[0].project+" "+half] == 0 {
				t.Errorf("%s has no fixes in the half for %s", group[0].project, half)
			}
		}
	}
}
