// Package failure has the errors by which the debugger refuses a request. They
// know nothing of the protocol; the family gives each its code.
package failure
