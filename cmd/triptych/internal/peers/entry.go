package peers

import (
	"strings"

	"github.com/triptych-mcp/triptych/transport/peer"
)

// serversKey is the sorted set of the tags of all servers, by the time of their last entry.
const serversKey = "triptych:servers"

// A Load counts what clients have open at a server.
type Load struct {
	Sessions  int64 `json:"sessions"`
	Streams   int64 `json:"streams"`
	Debugging int64 `json:"debugging"` // debugger sessions
}

// An entry is the text of a server about itself, as JSON.
type entry struct {
	peer.Server
	Load
}

// tagLength is the length of a tag, which consists of base32 in lower case.
const tagLength = 12

// isTag reports whether a text has the form of a tag. Tags come in ids that clients send,
// such as that of the last event they have seen.
func isTag(text string) bool {
	return len(text) == tagLength && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
