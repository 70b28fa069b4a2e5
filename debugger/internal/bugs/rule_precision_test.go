package bugs

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// The table of measured precision agrees with the judged matches, each of which has a
// verdict and a reason and is of a rule that there is.
func TestMeasuredPrecision(t *testing.T) {
	file, err := os.Open("bugbench/testdata/rules.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	known := map[string]bool{}
	for _, r := range allRules() {
		known[r.id] = true
	}
	judged := map[string]precision{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		columns := strings.Split(lines.Text(), "\t")
		if len(columns) != 6 || columns[4] != "yes" && columns[4] != "no" || columns[5] == "" || !known[columns[0]] {
			t.Fatalf("row %q is no judgement", lines.Text())
		}
		p := judged[columns[0]]
		p.judged++
		if columns[4] == "yes" {
			p.right++
		}
		judged[columns[0]] = p
	}
	for id, want := range judged {
		if got := measured[id]; got != want {
			t.Errorf("%s: the table has %+v, the judgements %+v", id, got, want)
		}
	}
	if len(measured) != len(judged) {
		t.Errorf("the table has %d rules, the judgements %d", len(measured), len(judged))
	}
}

// A rule of whose matches fewer than half are right is off, one with too few judged
// matches is not.
func TestRulesThatAreOff(t *testing.T) {
	tests := []struct {
		rule      rule
		off       bool
		certainty float64
	}{
		{rule{id: "rust-unwrap", sure: 65}, true, 1.0 / 8},        // 0 of 6
		{rule{id: "c-realloc-self", sure: 70}, false, 3.0 / 4},    // 3 of 4
		{rule{id: "python-file-not-kept", sure: 55}, false, 0.55}, // 1 of 1
		{rule{id: "no such rule", sure: 40}, false, 0.4},
	}
	for _, tt := range tests {
		if got := tt.rule.off(); got != tt.off {
			t.Errorf("%s: off is %v, want %v", tt.rule.id, got, tt.off)
		}
		if got := tt.rule.certainty(); got != tt.certainty {
			t.Errorf("%s: certainty is %v, want %v", tt.rule.id, got, tt.certainty)
		}
	}
}
