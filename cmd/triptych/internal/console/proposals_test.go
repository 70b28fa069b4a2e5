package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A key that may only propose changes nothing; another reviews what it proposes.
func TestProposals(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	lead := f.signedIn(t, key)
	lead.submit(t, "/new", url.Values{"name": {"go_style"}, "description": {"d"}, "markdown": {"# Go\n\nUse gofmt.\n"}})
	_, key = f.key(t, "rulesets:read", "rulesets:propose")
	member := f.signedIn(t, key)

	status, page := member.get(t, "/rules/go_style/edit")
	wants(t, "the form", status, page, http.StatusOK, `value="propose"`)
	if strings.Contains(page, `value="save"`) {
		t.Error("a key that may only propose can save")
	}
	form := url.Values{"rev": {"1"}, "description": {"d"}, "markdown": {"# Go\n\nUse <b>gofumpt</b>.\n"}, "message": {"stricter <i>"}, "do": {"save"}}
	status, page = member.submit(t, "/rules/go_style/edit", form)
	wants(t, "proposing", status, page, http.StatusOK, "Proposed.", "stricter &lt;i&gt;", `<span class="added">&#43;Use &lt;b&gt;gofumpt&lt;/b&gt;.`)
	status, page = member.submit(t, "/rules/go_style/label", url.Values{"label": {"production"}, "rev": {"1"}, "do": {"move"}})
	wants(t, "proposing a release", status, page, http.StatusOK, "Proposed.", "production of go_style to revision 1")
	status, page = member.submit(t, "/new", url.Values{"name": {"css"}, "description": {"d"}, "markdown": {"m"}})
	wants(t, "proposing a ruleset", status, page, http.StatusOK, "Proposed.", "create css")
	if _, page := lead.get(t, "/rules/go_style"); strings.Contains(page, "gofumpt") || strings.Contains(page, "production = ") {
		t.Error("a proposal has changed the ruleset")
	}
	status, page = member.submit(t, "/proposals/1", url.Values{"do": {"accept"}})
	wants(t, "accepting with the right to propose", status, page, http.StatusUnprocessableEntity, "takes the scope rulesets:write")

	status, page = lead.get(t, "/")
	wants(t, "the overview", status, page, http.StatusOK, "Proposals to review", `<span class="figure">3</span>`)
	status, page = lead.submit(t, "/proposals/1", url.Values{"do": {"comment"}, "message": {"why <script>?"}})
	wants(t, "a comment", status, page, http.StatusOK, "Your comment is added.", "why &lt;script&gt;?")
	status, page = lead.submit(t, "/proposals/1", url.Values{"do": {"accept"}, "label": {"stable"}})
	wants(t, "accepting", status, page, http.StatusOK, "Accepted.")
	if _, page := lead.get(t, "/rules/go_style"); !strings.Contains(page, "gofumpt") || !strings.Contains(page, "stable = 2") {
		t.Errorf("what was accepted is not made: %s", page)
	}
	status, page = lead.submit(t, "/proposals/2", url.Values{"do": {"refuse"}, "message": {"later"}})
	wants(t, "refusing", status, page, http.StatusOK, "Refused.", "later")
	status, page = lead.submit(t, "/proposals/2", url.Values{"do": {"accept"}})
	wants(t, "accepting what is refused", status, page, http.StatusUnprocessableEntity, "proposal 2 is refused already")
	status, page = member.submit(t, "/proposals/3", url.Values{"do": {"withdraw"}})
	wants(t, "withdrawing", status, page, http.StatusOK, "Withdrawn.")
	for state, want := range map[string]string{"": "Nothing waits", "accepted": "stricter", "all": "/proposals/3"} {
		status, page = lead.get(t, "/proposals?state="+state)
		wants(t, "proposals in state "+state, status, page, http.StatusOK, want)
	}
}

// Proposals are not for keys that only read, nor for forms of other sites or sessions.
func TestProposalsAreGuarded(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	lead := f.signedIn(t, key)
	lead.submit(t, "/new", url.Values{"name": {"a"}, "description": {"d"}, "markdown": {"m"}, "do": {"propose"}})
	for path, want := range map[string]int{"/proposals/1": 200, "/proposals/2": 404, "/proposals/0": 400, "/proposals/x": 400} {
		if status, page := lead.get(t, path); status != want {
			t.Errorf("%s: %d, want %d: %s", path, status, want, page)
		}
	}
	status, page := lead.post(t, "/proposals/1", url.Values{"do": {"accept"}})
	wants(t, "without a token", status, page, http.StatusForbidden)
	status, page = lead.submit(t, "/proposals/1", url.Values{"do": {"delete"}})
	wants(t, "another verb", status, page, http.StatusBadRequest)
	status, page = lead.submit(t, "/proposals/2", url.Values{"do": {"accept"}})
	wants(t, "a proposal that is not there", status, page, http.StatusNotFound)
	_, key = f.key(t, "rulesets:read")
	reader := f.signedIn(t, key)
	if _, page := reader.get(t, "/"); strings.Contains(page, "/proposals") {
		t.Error("the navigation of a reader has proposals")
	}
	for _, path := range []string{"/proposals", "/proposals/1"} {
		if status, page := reader.get(t, path); status == http.StatusOK {
			t.Errorf("a reader sees %s: %s", path, page)
		}
	}
	for _, path := range []string{"/new", "/rules/a/edit", "/rules/a/label", "/proposals/1"} {
		if status, page := reader.submit(t, path, url.Values{"do": {"accept"}, "name": {"b"}, "label": {"l"}, "rev": {"1"}}); status < 400 {
			t.Errorf("a reader posts to %s: %d %s", path, status, page)
		}
	}
}

// Texts of proposals are shown as text wherever they are, and numbers and pages out of range are
// answered as the nearest page or as mistakes.
func TestHostileProposals(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	lead := f.signedIn(t, key)
	_, key = f.key(t, "rulesets:read", "rulesets:propose")
	member := f.signedIn(t, key)
	hostile := `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	status, page := member.submit(t, "/new", url.Values{"name": {"a"}, "description": {hostile}, "tags": {"x"}, "markdown": {hostile + "\n"}, "message": {hostile}})
	wants(t, "proposing", status, page, http.StatusOK, "Proposed.")
	for _, verb := range []string{"comment", "refuse"} {
		status, page := lead.submit(t, "/proposals/1", url.Values{"do": {verb}, "message": {hostile + "\u202e"}})
		wants(t, verb, status, page, http.StatusOK, "&lt;script&gt;")
	}
	for _, path := range []string{"/proposals?state=all", "/proposals?state=" + url.QueryEscape(hostile), "/proposals/1", "/", "/proposals?page=99999999999999999999", "/proposals?page=-1&state=all"} {
		status, page := lead.get(t, path)
		wants(t, path, status, page, http.StatusOK)
		if strings.Contains(page, "<script") || strings.Contains(page, "<img src=x") {
			t.Errorf("%s has markup of a proposal: %s", path, page)
		}
	}
	for _, number := range []string{"-1", "1e3", "0x1", "99999999999999999999", "1%00", "%2e%2e", "%2e%2e%2fkeys", "1%2f..%2f..%2fkeys", "%F0%28"} {
		if status, _ := lead.get(t, "/proposals/"+number); status != http.StatusBadRequest && status != http.StatusNotFound {
			t.Errorf("/proposals/%s: %d", number, status)
		}
		if status, _ := lead.submit(t, "/proposals/"+number, url.Values{"do": {"accept"}}); status < 400 || status >= 500 {
			t.Errorf("posting to /proposals/%s: %d", number, status)
		}
	}
	status, _ = member.submit(t, "/new", url.Values{"name": {"large"}, "description": {"d"}, "markdown": {strings.Repeat("x", 2<<20)}})
	if status < 400 || status >= 500 {
		t.Errorf("a text of 2 MiB is proposed: %d", status)
	}
	if status, page := lead.get(t, "/proposals/2"); status != http.StatusNotFound {
		t.Errorf("a proposal was made: %d %s", status, page)
	}
}
