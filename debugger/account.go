package debugger

import "github.com/triptych-mcp/triptych/debugger/internal/serve/accounttools"

// What the family needs of the rest of the program, and its data.
type (
	// Accounts return the plans of callers.
	Accounts = accounttools.Accounts
	// An Account is a plan and how much of it is used.
	Account = accounttools.Account
	// A Trail is the audit trail as the family reads it.
	Trail = accounttools.Trail
	// An AuditFilter selects records.
	AuditFilter = accounttools.AuditFilter
	// An AuditRecord is the record of one request.
	AuditRecord = accounttools.AuditRecord
	// A Proof is the result of verifying the trail.
	Proof = accounttools.Proof
)
