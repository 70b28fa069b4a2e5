package bugs

import "testing"

func TestRulesCompile(t *testing.T) {
	book, err := newRulebook(allRules())
	if err != nil {
		t.Fatal(err)
	}
	t.Log(len(book), len(allRules()))
}
