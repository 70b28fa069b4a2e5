package values_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var shownRow = regexp.MustCompile("(?m)^\\| (C|C\\+\\+|Rust|Go) \\| .* \\| `(.*)` \\|$")

// TestDocs: TestValues finds each value of the table in docs/debugging.md in a program of the
// language.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "debugging.md"))
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string][]variableWant{
		"C": valuesC, "C++": slices.Concat(valuesCPP, modernCPP, coroutinesCPP),
		"Rust": slices.Concat(valuesRust, containersRust), "Go": valuesGo,
	}
	rows := shownRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 30 {
		t.Errorf("the table has %d rows", len(rows))
	}
	for _, row := range rows {
		text := row[2]
		if rest, address := strings.CutPrefix(text, "0x…"); address {
			text = "*" + rest
		}
		if !slices.ContainsFunc(tested[row[1]], func(w variableWant) bool { return w.text == text }) {
			t.Errorf("%s: no test finds %q", row[1], text)
		}
	}
}
