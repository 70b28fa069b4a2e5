package main

import (
	"math"
	"slices"
	"testing"
)

// Fifty answers to fixes of the reporting half are judged, each with a reason.
func TestJudged(t *testing.T) {
	all, err := readJudgements("testdata/judged.tsv")
	if err != nil || len(all) != 50 {
		t.Fatalf("%d judgements, %v, want 50", len(all), err)
	}
	fixes, err := readFixes("testdata/fixes.tsv", "reporting")
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range all {
		known := slices.ContainsFunc(fixes, func(f fix) bool {
			return f.project == j.project && f.commit == j.commit && f.places[0].String() == j.site
		})
		if !known || j.reason == "" || j.answer == j.site {
			t.Errorf("%+v is no answer to a fix of the reporting half, or has no reason", j)
		}
	}
}

func TestJudgedPrecision(t *testing.T) {
	all := []judgement{{verdict: "same"}, {verdict: "no"}, {verdict: "risk"}, {verdict: "no"}, {verdict: "no"}}
	if got := judgedPrecision(all); math.Abs(got-0.4) > 1e-9 {
		t.Errorf("got %v, want two of five", got)
	}
	if _, err := readJudgements("testdata/fixes.tsv"); err == nil {
		t.Error("a table of fixes is no table of judgements")
	}
}
