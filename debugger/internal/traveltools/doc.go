// Package traveltools has the tools that go through recorded history, and the
// reader of exported traces that commands use.
package traveltools
