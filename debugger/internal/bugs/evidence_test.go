package bugs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The rank is the sum of the columns by their weights, where no copy and no risk is.
func TestEvidence(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.c": "int load(struct row *r)\n{\n\tlock_table(r->table);\n\treturn read_row(r, 7);\n}\n",
		"b.c": "void drop(struct row *r, int all)\n{\n\tif (all)\n\t\tforget(r);\n\telse\n\t\tr->n = 0;\n\tlock_table(r->table);\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := New(Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.Evidence(t.Context(), Request{Path: folder, Site: Site{File: "a.c", Line: 3}})
	if err != nil || !slices.ContainsFunc(all, func(e Evidence) bool { return e.File == "b.c" }) {
		t.Fatalf("got %+v, %v, want a place in b.c", all, err)
	}
	for _, e := range all {
		if e.Columns[featureAlike] > copyFrom || len(e.Columns) != len(EvidenceColumns()) {
			t.Fatalf("%+v is a copy, or has columns without names", e)
		}
		sum := 0.0
		for feature, w := range weights {
			sum += w.value * e.Columns[feature]
		}
		for i, feature := range evidential {
			sum += weights[feature].place * e.Columns[int(featureCount)+i]
		}
		if d := sum - e.Rank; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s:%d: the columns give %v, the rank is %v", e.File, e.Line, sum, e.Rank)
		}
	}
}
