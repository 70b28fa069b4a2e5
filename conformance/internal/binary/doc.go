// Package binary builds the program under test, once for all test packages: go build
// leaves a file alone that is as new as its sources.
//
//	path, err := binary.Build()
package binary
