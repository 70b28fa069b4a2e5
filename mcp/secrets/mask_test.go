package secrets_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/secrets"
)

// A sample is a text of the corpus with its secret.
type sample struct{ name, before, secret, after string }

func corpus(t *testing.T) (all []sample) {
	t.Helper()
	data, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		name, quoted, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		before, rest, _ := strings.Cut(text, "[[")
		secret, after, _ := strings.Cut(rest, "]]")
		all = append(all, sample{name, before, secret, after})
	}
	if len(all) < 40 {
		t.Fatalf("the corpus has only %d texts", len(all))
	}
	return all
}

var mark = regexp.MustCompile(`<masked:[^>]*>`)

// leaked returns a part of a secret that a text has, "" if it has none. Parts of six
// bytes are no accident.
func leaked(text, secret string) string {
	text = mark.ReplaceAllString(text, "")
	for i := 0; i+6 <= len(secret); i++ {
		if part := secret[i : i+6]; strings.Contains(text, part) && !strings.Contains("-----BEGIN RSA PRIVATE KEY-----END OPENSSH PRIVATE KEY-----", part) {
			return part
		}
	}
	return ""
}

// Nothing of a secret of the corpus is left in a masked text, and all around it is.
func TestMask(t *testing.T) {
	for _, s := range corpus(t) {
		for _, kind := range []secrets.Kind{secrets.Report, secrets.Data} {
			got := secrets.Mask("line before\n"+s.before+s.secret+s.after+"\nline after", kind)
			if part := leaked(got, s.secret); part != "" || !strings.Contains(got, "<masked:") {
				t.Errorf("%s: %q is left in %q", s.name, part, got)
			}
			if !strings.HasPrefix(got, "line before\n") || !strings.HasSuffix(got, "line after") && s.name != "private key without its end" {
				t.Errorf("%s: masked too much: %q", s.name, got)
			}
			if again := secrets.Mask(got, kind); again != got {
				t.Errorf("%s: a masked text is masked again: %q, then %q", s.name, got, again)
			}
		}
	}
}

// Quoted, as a value of a program is shown, a secret is masked as well.
func TestMaskQuoted(t *testing.T) {
	for _, s := range corpus(t) {
		got := secrets.Mask("config: char * = 0x5555555592a0 "+strconv.Quote(s.before+s.secret+s.after), secrets.Report)
		if part := leaked(got, strconv.Quote(s.secret)); part != "" {
			t.Errorf("%s: %q is left in %q", s.name, part, got)
		}
	}
}

// Bytes are masked in place.
func TestMaskBytes(t *testing.T) {
	for _, s := range corpus(t) {
		text := []byte(s.before + s.secret + s.after)
		found := secrets.MaskBytes(text, secrets.Data)
		if part := leaked(string(text), s.secret); part != "" || len(found) == 0 {
			t.Errorf("%s: %q is left in %q", s.name, part, text)
		}
		if len(text) != len(s.before)+len(s.secret)+len(s.after) || !strings.HasPrefix(string(text), s.before) {
			t.Errorf("%s: %q", s.name, text)
		}
	}
}

// A secret is masked wherever it is in a long text.
func TestMaskLong(t *testing.T) {
	filler := strings.Repeat("nothing of the kind is in this line of text\n", 2000)
	for _, s := range corpus(t)[:20] {
		for _, at := range []int{0, 65_530, 73_725} {
			text := filler[:at] + "\n" + s.before + s.secret + s.after + "\n" + filler[at:]
			if part := leaked(secrets.Mask(text, secrets.Data), s.secret); part != "" {
				t.Errorf("%s at %d: %q is left", s.name, at, part)
			}
		}
	}
}

// What is no secret stays.
func TestHarmless(t *testing.T) {
	data, err := os.ReadFile("testdata/harmless.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if got := secrets.Mask(line, secrets.Report); got != line {
			t.Errorf("%q became %q", line, got)
		}
	}
}

// A text made to keep the search busy takes a time that grows with its length, and what
// was not searched is not shown.
func TestMaskBounded(t *testing.T) {
	line := strings.Join(secrets.Keywords(), " ") + " hunter=2\n"
	text := strings.Repeat(line, 1+(64<<10)/len(line))
	begin := time.Now()
	if got := secrets.Mask(text, secrets.Data); strings.Contains(got, "hunter=2") {
		t.Error("a text that is beyond the limits is shown")
	}
	t.Logf("64 KiB of keywords: %v", time.Since(begin))
}
