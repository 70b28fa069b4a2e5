package debugger

import "github.com/triptych-mcp/triptych/debugger/internal/accounttools"

// What the family needs of the rest of the program, and the data of it.
type (
	// Accounts know what callers may use.
	Accounts = accounttools.Accounts
	// An Account is a plan and how much of it is used.
	Account = accounttools.Account
	// A Trail is the audit trail, as far as the family shows it.
	Trail = accounttools.Trail
	// An AuditFilter chooses records.
	AuditFilter = accounttools.AuditFilter
	// An AuditRecord is one request that was made.
	AuditRecord = accounttools.AuditRecord
	// A Proof is the result of verifying the trail.
	Proof = accounttools.Proof
)
