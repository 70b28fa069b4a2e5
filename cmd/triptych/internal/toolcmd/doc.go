// Package toolcmd lists and calls the tools of a server: triptych tools and triptych
// call. Other commands that call tools use [ParseArguments], [Call] and [PrintContent].
package toolcmd
