package streamable

import (
	"errors"
	"net/http"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

// statuses are the HTTP statuses of error codes. Where a rule is named, only
// revisions that follow it have the status. All other errors are answers like
// results, with 200.
var statuses = []struct {
	code   jsonrpc.Code
	rule   mcp.HTTPRules // 0: every revision
	status int
}{
	{jsonrpc.CodeParseError, 0, http.StatusBadRequest},
	{jsonrpc.CodeInvalidRequest, 0, http.StatusBadRequest},
	{jsonrpc.CodeMethodNotFound, mcp.MissingMethods, http.StatusNotFound},
	{mcp.CodeHeaderMismatch, 0, http.StatusBadRequest},
	{mcp.CodeMissingCapability, 0, http.StatusBadRequest},
	{mcp.CodeUnsupportedVersion, 0, http.StatusBadRequest},
	{mcp.CodeAuthentication, 0, http.StatusUnauthorized},
	{mcp.CodePermissionDenied, 0, http.StatusForbidden},
}

// statusOf is the status of an answer that came with that error, nil for a
// result. Failures of ours are told by the status only where the revision has
// plain statuses: SDK clients lose the error when it is not 200.
func statusOf(rev *mcp.Revision, err error) int {
	if err == nil {
		return http.StatusOK
	}
	rpc, told := errors.AsType[*jsonrpc.Error](err)
	_, away := errors.AsType[*mcp.UnavailableError](err)
	switch plain := rev.Follows(mcp.PlainStatus); {
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
