// Package accounttools has the tools about the caller's plan and the audit trail.
package accounttools
