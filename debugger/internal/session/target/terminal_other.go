//go:build !linux

package target

import (
	"errors"
	"os"
)

// openTerminal fails: programs are launched on Linux only.
func openTerminal() (master, slave *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}
