package console_test

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// An impatientTrail is one whose visitor leaves as soon as it is read.
type impatientTrail struct {
	console.Trail
	leave func()
}

func (i impatientTrail) Query(ctx context.Context, f audit.Filter) iter.Seq2[audit.Record, error] {
	i.leave()
	return i.Trail.Query(ctx, f)
}

// A visitor who leaves while refusals are counted does not spoil the number of the others.
func TestRefusalsAreCountedForAll(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	f := open(t, func(cfg *console.Config) { cfg.Trail = impatientTrail{cfg.Trail, leave} })
	f.refuse(t)
	_, key := f.key(t)
	v := f.visitor(t)
	v.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	v.post(t, "/signin", map[string][]string{"key": {key}})
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, f.URL+"/", nil)
	for _, cookie := range v.Jar.Cookies(r.URL) {
		r.AddCookie(cookie)
	}
	f.Config.Handler.ServeHTTP(httptest.NewRecorder(), r)
	status, page := v.get(t, "/")
	wants(t, "the overview of another", status, page, http.StatusOK, `<span class="figure">1</span>`, "calls were refused")
}
