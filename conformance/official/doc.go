// Package official runs the official MCP conformance suite against package
// everything, served by the same engine and transports as all else: the
// requirement sets of both eras against one endpoint, at the same time, and
// the suite that was published before there were sets.
//
// Its two scenarios for authorization servers run against the login of the program itself.
//
// The suite and the Node that it needs are pinned in node/package.json.
// expected-failures.yml lists accepted failures: none. With it the suite
// counts warnings as failures.
package official
