package debugger

import (
	"errors"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
)

// tools are the handlers of the family.
type tools struct {
	trail    Trail
	accounts Accounts
	now      func() time.Time

	live
	similar
	postmortem
	documents documents
}

func (t *tools) table() *mcp.Table {
	return &mcp.Table{
		Family:       "debugger",
		Identity:     mcp.Implementation{Name: "kindly-debugger", Version: "1.0.0"},
		Baseline:     mcp.OfferTools,
		Instructions: liveInstructions,
		Tools: recorded(slices.Concat(t.liveTools(), t.postmortemTools(), []mcp.Tool{
			{
				Name: "debugger/quota_status", Title: "Quota status", Scope: "debug:read", Hints: mcp.ReadOnly,
				Doc:  "Show the plan of the API key and how much of its quota is used",
				Call: mcp.Typed(t.quotaStatus),
			},
			{
				Name: "debugger/license_info", Title: "License", Scope: "debug:read", Hints: mcp.ReadOnly,
				Doc:  "Show the type, status, expiry and features of the license",
				Call: mcp.Typed(t.licenseInfo),
			},
			{
				Name: "debugger/get_comprehensive_audit", Title: "Audit trail", Scope: "audit:read", Hints: mcp.ReadOnly,
				Doc:  "Show the audit trail, today's if no time is given, and verify its hash chain",
				Call: mcp.Typed(t.audit),
			},
		}, t.similarTools(), t.documentTools())),
		Errors:     wireError,
		EndSession: t.endSession,
		Close:      t.close,
	}
}

// close ends what the family has begun.
func (t *tools) close() error { return errors.Join(t.sessions.endAll("", true), t.documents.Close()) }
