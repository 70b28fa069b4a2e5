package debugger

import (
	"fmt"
	"strconv"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Defaults and limits of histories, in MiB.
const (
	defaultHistory = history.DefaultBudget >> 20
	minHistory     = history.MinBudget >> 20
	maxHistory     = 1 << 16

	// maxHistoryFile is a TiB. The list of the blocks of such a file takes 256 MiB of
	// memory, as much as a history in memory.
	maxHistoryFile = 1 << 20
)

// mostHistory returns the most MiB of history in memory that a client may have: those that
// the operator has set, or any number for the one who runs the server.
func (c *Live) mostHistory() int {
	if c.Remote {
		return c.History
	}
	return maxHistory
}

// mostHistoryFile is mostHistory for a file. Without a limit of their own for files, remote
// clients may have as much as in memory.
func (c *Live) mostHistoryFile() int {
	switch {
	case !c.Remote:
		return maxHistoryFile
	case c.HistoryFile > 0:
		return c.HistoryFile
	}
	return c.History
}

// historyFrom uses the variables unless flags have set other values than the defaults.
func (c *Live) historyFrom(memory, file string) error {
	if c.History == 0 {
		c.History = defaultHistory
	}
	if err := mebibytes(&c.History, defaultHistory, "TRIPTYCH_HISTORY_MEMORY", memory); err != nil {
		return err
	}
	if err := mebibytes(&c.HistoryFile, 0, "TRIPTYCH_HISTORY_FILE", file); err != nil {
		return err
	}
	if c.History < minHistory || c.History > maxHistory {
		return fmt.Errorf("the history of a process cannot have %d MiB: %d to %d are possible", c.History, minHistory, maxHistory)
	}
	if c.HistoryFile != 0 && (c.HistoryFile < minHistory || c.HistoryFile > maxHistoryFile) {
		return fmt.Errorf("the history of a process cannot have %d MiB in a file: %d to %d are possible", c.HistoryFile, minHistory, maxHistoryFile)
	}
	return nil
}

// mebibytes uses a variable if the value is the default.
func mebibytes(to *int, usual int, variable, text string) error {
	if text == "" || *to != usual {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%s is %q, want a number of MiB", variable, text)
	}
	*to = n
	return nil
}
