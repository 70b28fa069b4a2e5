package app

import (
	"net/http"

	"github.com/triptych-mcp/triptych/transport/streamable"
)

// causes are the causes of refusals by the endpoint in the metrics, by status. Those of the
// authenticator have names of their own, see [bearer.Cause].
var causes = map[int]string{
	http.StatusForbidden:             "host_or_origin",
	http.StatusNotFound:              "unknown_session",
	http.StatusMethodNotAllowed:      "method",
	http.StatusNotAcceptable:         "content_type",
	http.StatusRequestTimeout:        "slow_body",
	http.StatusConflict:              "open_stream",
	http.StatusRequestEntityTooLarge: "too_large",
	http.StatusUnsupportedMediaType:  "content_type",
	http.StatusTooManyRequests:       "budget", // of the key
	http.StatusServiceUnavailable:    "unavailable",
}

// causeOf returns the cause of a refusal by the endpoint.
func causeOf(refused *streamable.Refusal) string {
	if cause, ok := causes[refused.Status]; ok {
		return cause
	}
	return "invalid_request"
}
