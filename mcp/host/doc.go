// Package host has the names that transports and programs need beside those of package
// mcp, and authors of servers do not. It is below mcp, and serves nothing by itself.
//
// A transport authenticates the sender of a request. It passes a [Caller] with a
// [Principal] to mcp.Server.Bind, and a [Session] if the client has one. A [Preview] has
// facts about a request before it is served, and a [Revision] the rules of Streamable HTTP
// ([HTTPRules]) and the forms of errors. A [Handshake] lets another process go
// on with a session ([RestoreSession]).
//
// A program opens its families with an [Env], selects tools with a [ToolSelection], gets
// an [Event] for each request, and may give its server a [TaskStore] and an
// [OversizeStore].
package host
