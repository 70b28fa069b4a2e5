// Package failure defines the errors with which the debugger rejects a request.
// They are independent of the protocol; the family maps them to its codes.
package failure
