package secrets_test

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/secrets"
)

// A text that would have all rules search all of it is searched in part, and Find
// reports where it ended.
func TestLimit(t *testing.T) {
	line := strings.Join(secrets.Keywords(), " ") + "\n"
	text := strings.Repeat(line, 1+(128<<10)/len(line))
	if _, rest := secrets.Find(text, secrets.Data); rest == nil || rest.From < 0 || rest.From >= len(text) || rest.Rule == "" {
		t.Errorf("the rest is %v, want a place in the text and a rule", rest)
	}
	if _, rest := secrets.Find(line, secrets.Data); rest != nil {
		t.Errorf("of one line the rest is %v, want that all was searched", rest)
	}
}

// A secret is found at its place, and an example of one is not in prose.
func TestFind(t *testing.T) {
	const key = "AKIAQ4J7VNRC2XMP3LZT" // has the form of an AWS key, and opens nothing
	found, rest := secrets.Find("the key "+key+" opens", secrets.Prose)
	if want := (secrets.Match{From: 8, To: 28, Rule: "aws-access-token"}); len(found) != 1 || found[0] != want || rest != nil {
		t.Errorf("got %v, %v, want %v", found, rest, want)
	}
	if found, _ := secrets.Find("such as AKIAIOSFODNN7EXAMPLE", secrets.Prose); len(found) > 0 {
		t.Errorf("found %v in an example", found)
	}
}
