package value

import "testing"

// TestAnyURI has the verdicts of Xerces 2.12, which reads RFC 2396 and 2732 as the
// specification asks.
func TestAnyURI(t *testing.T) {
	for text, valid := range map[string]bool{
		"urn:ogc:def:crs:OGC:1.0:": true, "a:": false, ":a": false, "1a:b": false, "a b:c": false, "C:\\x": true,
		"/a:": true, "x/a:": true, "?a:": true, "#:": true, "##": false, "a#b#c": false,
		"a^b": true, "a`b": true, "a{b}|c": true, "%": false, "a%zzb": false, "a%20b": true,
		"http://[::1]/": true, "http://[": false, "[a]": false, "x?[1]": true, "#x(//*[@id='a'])": true, "//a/[b]": false, "x[1]": false, "http://[::1]:80/x": true,
		"http://": true, "http:///x": true, "http://a:b:c/": true, "http:": false, "mailto:": false, "//a:b/": true,
	} {
		if err := validateAnyURI(text, Version10); (err == nil) != valid {
			t.Errorf("%q: %v, want valid %v", text, err, valid)
		}
	}
}
