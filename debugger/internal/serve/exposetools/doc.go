// Package exposetools has the tool that lets people look at a session with
// their own debugger.
package exposetools
