package answers

import (
	"fmt"
	"strconv"
	"strings"
)

// A sharedEntry is an answer in the index of a store.
type sharedEntry struct {
	owner, id string
	size      int64
}

func (e sharedEntry) text() string { return fmt.Sprintf("%s/%s/%d", e.owner, e.id, e.size) }

// parseEntry reads an entry of the index.
func parseEntry(text string) (e sharedEntry, ok bool) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		return e, false
	}
	size, err := strconv.ParseInt(parts[2], 10, 64)
	return sharedEntry{parts[0], parts[1], size}, err == nil
}
