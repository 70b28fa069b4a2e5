package recording

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ownExtensions returns the extensions of the processor that the system lets programs use.
func ownExtensions() []string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, flags, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "flags" {
			return known(strings.Fields(flags))
		}
	}
	return nil
}

// Lacks returns the extensions of the recorded processor that this one has not.
func (r *Recording) Lacks() []string {
	own := ownExtensions()
	if own == nil {
		return nil // they are not known
	}
	return r.lacks(own)
}

// explain adds to the error of a replay which extensions are missing, if there are any.
func (r *Recording) explain(err error) error {
	if _, limit := errors.AsType[*LimitError](err); limit || err == nil {
		return err
	}
	if missing := r.Lacks(); len(missing) > 0 {
		return fmt.Errorf("%w; the program was recorded on a processor with extensions that this one lacks: %s", err, strings.Join(missing, ", "))
	}
	return err
}
