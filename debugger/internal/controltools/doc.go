// Package controltools has the tools that begin and end sessions, set
// breakpoints, and let the process run and step.
package controltools
