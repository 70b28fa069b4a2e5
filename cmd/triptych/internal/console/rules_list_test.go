package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The list says of each ruleset where it applies, who wrote it and what waits, with the words
// that were searched for marked, and its filters stay in the address.
func TestRulesList(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	v := f.signedIn(t, key)
	const old = "globs: ['src/**/*.go', '<b>/*']\ntargets: [cursor, claude]\nowner: ann <i>\nreview_after: 2020-01-31\n"
	v.submit(t, "/new", url.Values{"name": {"go_errors"}, "description": {"How <b>we</b> wrap"}, "tags": {"go, <x>"}, "markdown": {"# Go\n\nWrap <script>errors</script> always.\n"}, "extra": {old}})
	v.submit(t, "/new", url.Values{"name": {"css_names"}, "description": {"d"}, "tags": {"css"}, "markdown": {"# CSS\n\nName things.\n"}})
	v.submit(t, "/rules/go_errors/label", url.Values{"label": {"production"}, "rev": {"1"}})
	status, page := v.get(t, "/rules")
	wants(t, "the list", status, page, http.StatusOK, "2 rulesets", "css_names", "production = 1", "src/**/*.go", "&lt;b&gt;/*", "cursor, claude", "owner ann &lt;i&gt;",
		"review due since 2020-01-31", "revision 1 by key_", `href="/rules?tag=%3Cx%3E"`)
	status, page = v.get(t, "/rules?q=errors")
	wants(t, "a search in texts", status, page, http.StatusOK, "1 ruleset<", "go_<mark>errors</mark>", "Wrap &lt;script&gt;<mark>errors</mark>&lt;/script&gt;", "line 3")
	for query, want := range map[string]string{
		"tag=GO": "go_errors", "tag=css": "css_names", "label=production": "go_errors", "client=cursor&q=errors": "go_errors", "client=zed": "css_names", "due=1": "go_errors",
		"tag=%3Cx%3E&label=production&due=1": "go_errors",
	} {
		status, page := v.get(t, "/rules?"+query)
		wants(t, query, status, page, http.StatusOK, "1 ruleset<", `href="/rules/`+want+`"`)
	}
	status, page = v.get(t, "/rules?q=errors&tag=go&label=production&client=cursor&due=1&page=1")
	wants(t, "all filters", status, page, http.StatusOK, `href="/rules?client=cursor&amp;due=1&amp;label=production&amp;q=errors"`, `name="tag" value="go"`, `value="cursor"`)
	for query, want := range map[string]int{"label=%21": 422, "q=" + url.QueryEscape(strings.Repeat("ä(", 3000)): 200, "page=-1": 200, "page=999999999999": 200, "q=%ff%00": 200} {
		if status, page := v.get(t, "/rules?"+query); status != want {
			t.Errorf("%s: %d, want %d: %s", query, status, want, page)
		}
	}
	status, page = v.get(t, "/")
	wants(t, "the overview", status, page, http.StatusOK, "Due for review", `href="/rules?due=1"`)
}

// Every ruleset is on one page of the list.
func TestPagesOfRules(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	v := f.signedIn(t, key)
	const n = 120
	_, page := v.get(t, "/new")
	token := csrfField.FindStringSubmatch(page)[1]
	v.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for i := range n {
		form := url.Values{"csrf": {token}, "name": {fmt.Sprintf("rule_%03d", i)}, "description": {"d"}, "markdown": {"m"}}
		if status, page := v.post(t, "/new", form); status != http.StatusSeeOther {
			t.Fatal(status, page)
		}
	}
	seen := map[string]int{}
	for number := 1; number <= 3; number++ {
		status, page := v.get(t, fmt.Sprintf("/rules?page=%d", number))
		wants(t, "a page", status, page, http.StatusOK, fmt.Sprintf("Page %d of 3, %d in all", number, n))
		for i := range n {
			if name := fmt.Sprintf("rule_%03d", i); strings.Contains(page, `href="/rules/`+name+`"`) {
				seen[name]++
			}
		}
	}
	status, last := v.get(t, "/rules?page=99")
	wants(t, "a page beyond the last one", status, last, http.StatusOK, "Page 3 of 3, 120 in all", `href="/rules/rule_119"`)
	if len(seen) != n {
		t.Errorf("the pages have %d rulesets, want %d", len(seen), n)
	}
	for name, times := range seen {
		if times != 1 {
			t.Errorf("%s is there %d times", name, times)
		}
	}
}
