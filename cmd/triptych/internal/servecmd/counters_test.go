package servecmd

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/bearer"
)

// Every counter of refusals is there before the first refusal: alerts with increase() do not
// see the first one of a counter that begins with it.
func TestRefusalsAreCountedFromTheStart(t *testing.T) {
	s := everything(t)
	s.showMetrics()
	answer := httptest.NewRecorder()
	s.services.recorder.Metrics().Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for cause, code := range bearer.Causes() {
		if want := fmt.Sprintf(`triptych_refusals_total{cause=%q,code="%d"} 0`, cause, code); !strings.Contains(answer.Body.String(), want) {
			t.Errorf("%s is missing", want)
		}
	}
}
