// Package jsonrpc asks the message layer what others wrote down: the parsing
// cases of JSONTestSuite, and the conversations that the JSON-RPC 2.0
// specification shows in its section 7. All is in its tests; testdata/README.md
// says where the cases come from.
package jsonrpc
