//go:build !unix

package app

// becomeOwner does nothing: who made a file does not decide who may read it here.
func becomeOwner(string) error { return nil }
