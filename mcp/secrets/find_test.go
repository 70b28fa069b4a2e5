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

// Output of programs need not be UTF-8, and places count its bytes.
func TestFindInBytes(t *testing.T) {
	for _, before := range []string{strings.Repeat("\xff", 1000), strings.Repeat("\u0130\xff", 300), strings.Repeat("\u212a", 400)} {
		text := before + " password=hunter22 " + strings.Repeat("x ", 1000)
		if got := secrets.Mask(text, secrets.Data); strings.Contains(got, "hunter22") || !strings.HasPrefix(got, before) {
			t.Errorf("%.20q: %.60q", before, got[len(before):])
		}
	}
}

// A token whose form shows only far behind its beginning is found, and one keyword beside
// another has its surroundings.
func TestFindFar(t *testing.T) {
	filler := strings.Repeat("some more words of a log\n", 20)
	payload := strings.Repeat("a1B2c3D4e5F6g7H8i9J0", 100)
	token := "ey" + "JhbGciOiJSUzI1NiJ9abcd.ey" + "J" + payload + ".c2lnbmF0dXJlLW9mLXRoaXM"
	if got := secrets.Mask(filler+token+filler, secrets.Data); strings.Contains(got, payload[:40]) {
		t.Error("a long web token is not masked")
	}
	first := strings.Repeat("x", 500)
	if got := secrets.Mask("token "+first+" access_token=s3same0pen9876 client_secret=tr0ub4dor", secrets.Data); strings.Contains(got, "s3same") || strings.Contains(got, "tr0ub") {
		t.Errorf("%q", got)
	}
}
