package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	v := f.signedIn(t, key)
	status, page := v.submit(t, "/new", url.Values{
		"name": {"go_style"}, "description": {"How <b>we</b> write Go"}, "tags": {"go, style"}, "markdown": {"# Go\r\n\r\nUse gofmt. <script>alert(1)</script> [x](javascript:alert(1))\r\n"},
	})
	wants(t, "a new ruleset", status, page, http.StatusOK, "Created go_style.", "How &lt;b&gt;we&lt;/b&gt; write Go", "<h1>Go</h1>")
	if strings.Contains(page, "<script>") || strings.Contains(page, `href="javascript:`) {
		t.Errorf("the text is not escaped: %s", page)
	}
	form := url.Values{"rev": {"1"}, "description": {"How we write Go"}, "tags": {"go"}, "markdown": {"# Go\n\nUse gofumpt.\n"}, "message": {"stricter"}}
	form.Set("do", "preview")
	status, page = v.submit(t, "/rules/go_style/edit", form)
	wants(t, "a preview", status, page, http.StatusOK, `<span class="added">&#43;Use gofumpt.`, "<p>Use gofumpt.</p>")
	form.Set("do", "save")
	status, page = v.submit(t, "/rules/go_style/edit", form)
	wants(t, "a change", status, page, http.StatusOK, "Saved revision 2.", "stricter")
	form.Set("markdown", "# Mine\n")
	status, page = v.submit(t, "/rules/go_style/edit", form)
	wants(t, "a change of an old revision", status, page, http.StatusConflict, "Somebody else has changed", `name="rev" value="2"`, "# Mine")
	status, page = v.get(t, "/rules/go_style/diff?from=2&to=1")
	wants(t, "a diff", status, page, http.StatusOK, `<span class="removed">-Use gofmt.`, `<span class="added">&#43;Use gofumpt.`)
	status, page = v.get(t, "/rules/go_style/revisions/1")
	wants(t, "a revision", status, page, http.StatusOK, "Use gofmt. &lt;script&gt;")
	status, page = v.submit(t, "/rules/go_style/label", url.Values{"label": {"production"}, "rev": {"1"}})
	wants(t, "a label", status, page, http.StatusOK, "The label production is at revision 1.", "production = 1")
	status, page = v.submit(t, "/rules/go_style/restore", url.Values{"rev": {"1"}})
	wants(t, "a restored revision", status, page, http.StatusOK, "Restored revision 1 as revision 3.")
	status, page = v.get(t, "/rules?q=GO+write")
	wants(t, "a search", status, page, http.StatusOK, `<a href="/rules/go_style">`)
	if _, page := v.get(t, "/rules?q=python"); strings.Contains(page, "go_style") {
		t.Error("found without the word")
	}
	status, page = v.submit(t, "/rules/go_style/delete", url.Values{"rev": {"2"}})
	wants(t, "deleting an old revision", status, page, http.StatusConflict)
	status, page = v.submit(t, "/rules/go_style/delete", url.Values{"rev": {"3"}})
	wants(t, "deleting", status, page, http.StatusOK, "This ruleset was deleted")
	status, page = v.get(t, "/rules/never_was")
	wants(t, "a ruleset that never was", status, page, http.StatusNotFound)
	status, page = v.get(t, "/rules/Not%20a%20name")
	wants(t, "a name that is none", status, page, http.StatusBadRequest)
}

// What lint finds is shown with the ruleset and with all.
func TestFindings(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	v := f.signedIn(t, key)
	v.submit(t, "/new", url.Values{"name": {"leaky"}, "description": {"d"}, "markdown": {"AKIAIOSFODNN7EXAMPLQ\n"}})
	for _, path := range []string{"/rules/leaky", "/lint"} {
		status, page := v.get(t, path)
		wants(t, path, status, page, http.StatusOK, "it looks like a secret", "<code>secret</code>")
	}
}

// A key with few scopes sees few pages; the endpoint has the last word on rulesets.
func TestScopes(t *testing.T) {
	f := open(t)
	_, all := f.key(t)
	f.signedIn(t, all).submit(t, "/new", url.Values{"name": {"shared"}, "description": {"d"}, "markdown": {"m"}})
	_, key := f.key(t, "rulesets:read")
	v := f.signedIn(t, key)
	status, page := v.get(t, "/rules/shared")
	wants(t, "reading", status, page, http.StatusOK, "<h1>shared</h1>")
	for _, text := range []string{`href="/keys"`, `href="/audit"`, "/rules/shared/edit", `class="danger"`} {
		if strings.Contains(page, text) {
			t.Errorf("the page has %s", text)
		}
	}
	for _, path := range []string{"/keys", "/audit", "/sessions", "/speeds", "/new"} {
		status, page := v.get(t, path)
		wants(t, path, status, page, http.StatusForbidden, "does not have the scope")
	}
	status, page = v.submit(t, "/rules/shared/delete", url.Values{})
	wants(t, "deleting", status, page, http.StatusForbidden, "rulesets:write")
}
