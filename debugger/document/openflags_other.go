//go:build !linux

package document

const openFlags = 0
