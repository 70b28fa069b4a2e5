package recorder

import (
	"net/http"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
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

// invalidRequest is the cause of all other refusals.
const invalidRequest = "invalid_request"

// Refusals returns the causes of refusals by the endpoint and the codes that they are known to
// have.
func Refusals() map[string][]jsonrpc.Code {
	all := map[string][]jsonrpc.Code{invalidRequest: {jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError}}
	for status, cause := range causes {
		switch status {
		case http.StatusTooManyRequests:
			all[cause] = []jsonrpc.Code{host.CodeQuotaExceeded, host.CodeQuotaModern}
		case http.StatusServiceUnavailable:
			all[cause] = []jsonrpc.Code{jsonrpc.CodeInternalError}
		default:
			all[cause] = []jsonrpc.Code{jsonrpc.CodeInvalidRequest}
		}
	}
	return all
}

// causeOf returns the cause of a refusal by the endpoint.
func causeOf(refused *streamable.Refusal) string {
	if cause, ok := causes[refused.Status]; ok {
		return cause
	}
	return invalidRequest
}
