package streamable

import (
	"errors"
	"net/http"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// statuses maps error codes to HTTP statuses. A row with a rule is for revisions that
// follow it. Other errors have the status of a result, 200.
var statuses = []struct {
	code   jsonrpc.Code
	rule   host.HTTPRules // 0: every revision
	status int
}{
	{jsonrpc.CodeParseError, 0, http.StatusBadRequest},
	{jsonrpc.CodeInvalidRequest, 0, http.StatusBadRequest},
	{jsonrpc.CodeMethodNotFound, host.MissingMethods, http.StatusNotFound},
	{host.CodeHeaderMismatch, 0, http.StatusBadRequest},
	{host.CodeMissingCapability, 0, http.StatusBadRequest},
	{host.CodeUnsupportedVersion, 0, http.StatusBadRequest},
	{host.CodeAuthentication, 0, http.StatusUnauthorized},
	{host.CodePermissionDenied, 0, http.StatusForbidden},
}

// statusOf returns the status of an answer with that error, nil for a result. Internal
// errors have a status of their own only in revisions with plain statuses: SDK clients of
// the others lose the error when the status is not 200. It is the only place that maps
// errors of methods to statuses; refusals before a method runs state theirs.
func statusOf(rev *host.Revision, err error) int {
	if err == nil {
		return http.StatusOK
	}
	rpc, told := errors.AsType[*jsonrpc.Error](err)
	_, away := errors.AsType[*mcp.UnavailableError](err)
	switch plain := rev.Follows(host.PlainStatus); {
	case plain && away:
		return http.StatusServiceUnavailable
	case plain && !told:
		return http.StatusInternalServerError
	case !told:
		return http.StatusOK
	}
	for _, row := range statuses {
		if row.code == rpc.Code && (row.rule == 0 || rev.Follows(row.rule)) {
			return row.status
		}
	}
	return http.StatusOK
}
