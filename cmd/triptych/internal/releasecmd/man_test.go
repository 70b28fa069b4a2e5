package releasecmd

import "testing"

// Text never becomes a macro or an escape.
func TestRoffText(t *testing.T) {
	for plain, want := range map[string]string{
		".data":         `\&.data`,
		"'quoted'":      `\&'quoted'`,
		`--flag C:\dir`: `\-\-flag C:\edir`,
	} {
		if got := roffText(plain); got != want {
			t.Errorf("%s: got %s, want %s", plain, got, want)
		}
	}
}
