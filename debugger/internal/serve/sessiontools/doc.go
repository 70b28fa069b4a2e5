// Package sessiontools has what the tools that work on a debugging session
// share: their common arguments, the adapters that find the session and check
// what it can do, and the facts that audit records have of calls.
package sessiontools
