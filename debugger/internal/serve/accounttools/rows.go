package accounttools

import (
	"github.com/triptych-mcp/triptych/mcp"
)

// Tools returns the rows of the group.
func (t *Group) Tools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/quota_status", Title: "Quota status", Scope: "debug:read", Hints: mcp.ReadOnly,
			LookUp: "it shows the caller its own account",
			Doc:    "Show the API key's plan and how much of its quota is used",
			Call:   mcp.Typed(t.quotaStatus),
		},
		{
			Name: "debugger/license_info", Title: "License", Scope: "debug:read", Hints: mcp.ReadOnly,
			LookUp: "it shows the caller its own account",
			Doc:    "Show the type, status, expiry and features of the license",
			Call:   mcp.Typed(t.licenseInfo),
		},
		{
			Name: "debugger/get_comprehensive_audit", Title: "Audit trail", Scope: "audit:read", Hints: mcp.ReadOnly, // no LookUp: the records are of other keys, too
			Doc:  "Show the audit trail, today's if no time is given, and verify its hash chain",
			Call: mcp.Typed(t.audit),
		},
	}
}
