package console_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// The overview counts the keys that expire within two weeks, and the list behind the figure has
// the same ones.
func TestKeysThatExpire(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	v := f.signedIn(t, key)
	status, page := v.get(t, "/")
	wants(t, "the overview", status, page, http.StatusOK, "Keys that expire", "none within two weeks")
	day := 24 * time.Hour
	for name, lasts := range map[string]time.Duration{"soon": 13 * day, "later": 15 * day, "revoked": 12 * day, "always": 0} {
		settings := keys.Settings{Name: name, Plan: quota.Free}
		if lasts > 0 {
			settings.Expires = time.Now().Add(lasts)
		}
		r, _, err := f.store.Create(t.Context(), keys.Live, settings)
		if err != nil {
			t.Fatal(err)
		}
		if name == "revoked" {
			if _, err := f.store.Revoke(t.Context(), r.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	status, page = v.get(t, "/")
	wants(t, "the overview", status, page, http.StatusOK, `href="/keys?state=expiring"`, "within two weeks, such as soon", `<span class="figure">1</span>`)
	status, page = v.get(t, "/keys?state=expiring")
	wants(t, "the keys that expire", status, page, http.StatusOK, "soon")
	for _, other := range []string{">later<", ">revoked<", ">always<"} {
		if strings.Contains(page, other) {
			t.Errorf("the list has %s: %s", other, page)
		}
	}
}

// Refusals are counted once a minute.
func TestRefusalsAreRemembered(t *testing.T) {
	var later atomic.Int64
	f := open(t, func(cfg *console.Config) {
		cfg.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	_, key := f.key(t)
	f.refuse(t)
	first := f.signedIn(t, key) // the overview is the first page
	f.refuse(t)
	second := f.signedIn(t, key)
	for _, v := range []*visitor{first, second} {
		status, page := v.get(t, "/")
		wants(t, "within a minute", status, page, http.StatusOK, `<span class="figure">1</span>`, "calls were refused")
	}
	later.Store(int64(2 * time.Minute))
	status, page := second.get(t, "/")
	wants(t, "after it", status, page, http.StatusOK, `<span class="figure">2</span>`, "calls were refused")
}

// refuse records that a call of another key was refused.
func (f *fixture) refuse(t *testing.T) {
	t.Helper()
	seq, err := f.trail.Append(audit.Record{Time: time.Now(), Key: "key_other00000", Method: "http", Outcome: audit.Refused})
	if err == nil {
		err = f.trail.Commit(t.Context(), seq)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The overview names the first fact of the server that is bad.
func TestStateOnTheOverview(t *testing.T) {
	var full atomic.Bool
	f := open(t, func(cfg *console.Config) {
		cfg.Health = func(context.Context) []console.Fact {
			return []console.Fact{{Name: "Store", Value: "answers"}, {Name: "Disk", Value: "1 MiB <free>", Bad: full.Load()}, {Name: "Trail", Value: "failed", Bad: full.Load()}}
		}
	})
	_, key := f.key(t)
	v := f.signedIn(t, key)
	status, page := v.get(t, "/")
	wants(t, "a sound server", status, page, http.StatusOK, "Disk and store", `<span class="figure">OK</span>`, "all is well")
	full.Store(true)
	status, page = v.get(t, "/")
	wants(t, "a full disk", status, page, http.StatusOK, `<span class="figure">2</span>`, "Disk: 1 MiB &lt;free&gt;")
	_, key = f.key(t, "rulesets:read")
	if _, page := f.signedIn(t, key).get(t, "/"); strings.Contains(page, "Disk and store") {
		t.Error("a reader of rules sees the state of the server")
	}
}
