// Package debugger is the family of tools around a debugged program, and around
// the account and the audit trail of whoever debugs it.
//
// [Config] opens it and makes the table that a server serves. It declares what
// it needs of the rest of the program as small interfaces: [Trail] for the
// audit trail, [Accounts] for plans and licenses. Without them it serves a
// local user, whose plan has no limits.
package debugger
