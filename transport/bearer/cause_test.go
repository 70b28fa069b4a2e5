package bearer_test

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// Every refusal is counted by its cause, also those that are too many to be recorded.
func TestCauses(t *testing.T) {
	counted := map[bearer.Cause]int{}
	codes := map[bearer.Cause]jsonrpc.Code{}
	h := build(t, func(c *bearer.Config) {
		c.Refused = func(cause bearer.Cause, code jsonrpc.Code) {
			counted[cause]++
			codes[cause] = code
		}
	})
	revoked, revokedToken := h.key(t, keys.Settings{})
	if _, err := h.keys.Revoke(t.Context(), revoked); err != nil {
		t.Fatal(err)
	}
	_, elsewhere := h.key(t, keys.Settings{Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	_, spent := h.key(t, keys.Settings{Plan: quota.Enterprise, Own: quota.Limits{Month: 100, Minute: 1}})
	_, expired := h.key(t, keys.Settings{Expires: noon.Add(time.Second)})
	h.now = noon.Add(2 * time.Second)
	for _, authorization := range [][]string{
		nil, {"Basic abc"}, {"Bearer abc"}, {"Bearer " + keys.NewToken(keys.Live).Reveal()},
		{"Bearer " + revokedToken}, {"Bearer " + revokedToken}, {"Bearer " + elsewhere}, {"Bearer " + expired},
	} {
		if _, refused := h.Authenticate(http.Header{}, visit(local, authorization...)); refused == nil {
			t.Errorf("%v is not refused", authorization)
		}
	}
	caller := h.admit(t, spent)
	for range 3 { // of which the first is served
		h.Charge(t.Context(), http.Header{}, &caller, host.BaselineRevision(), streamable.Bill{Calls: 1})
	}
	want := map[bearer.Cause]int{
		bearer.CauseMissing: 1, bearer.CauseMalformed: 2, bearer.CauseUnknown: 1, bearer.CauseRevoked: 2,
		bearer.CauseAddress: 1, bearer.CauseExpired: 1, bearer.CauseQuota: 2,
	}
	if diff := cmp.Diff(want, counted); diff != "" {
		t.Error(diff)
	}
	if codes[bearer.CauseMissing] != -32001 || codes[bearer.CauseQuota] != host.CodeQuotaExceeded || codes[bearer.CauseAddress] != host.CodePermissionDenied {
		t.Errorf("the codes are %v", codes)
	}
}
