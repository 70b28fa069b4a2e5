// Package host has the names that transports and programs need beside those of package
// mcp, and authors of servers do not: stores that a program gives to its server.
package host
