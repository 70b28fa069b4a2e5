package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/privatedir"
	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// FirstKeyFile is the file in a data folder with the first key of a server that was not
// started at a terminal, until [TakeFirstKey]. A backup leaves it out.
func FirstKeyFile(data string) string { return filepath.Join(data, "keys", "first-key") }

// WriteFirstKey writes a key to the file for its owner alone, in place of one that was
// never taken.
func WriteFirstKey(data string, token keys.Token) error {
	file := FirstKeyFile(data)
	if err := privatedir.Make(filepath.Dir(file)); err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have other permissions
		return err
	}
	return atomicfile.Write(file, []byte(token.Reveal()+"\n"), 0o600)
}

// TakeFirstKey shows the line of the file and then removes it. Without a file the error is
// [fs.ErrNotExist].
func TakeFirstKey(data string, show func(line string) error) error {
	file := FirstKeyFile(data)
	line, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := show(string(line)); err != nil {
		return err
	}
	return os.Remove(file)
}
