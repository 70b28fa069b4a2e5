// Package auditcmd is triptych audit: printing and verifying the audit trail.
package auditcmd
