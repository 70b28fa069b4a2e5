//go:build !linux

package wholefile_test

import (
	"errors"
	"testing"
)

func mapped(t *testing.T, _ *swapper) func() ([]byte, error) {
	t.Skip("mapped on Linux only")
	return nil
}

func pipe(*swapper) error { return errors.ErrUnsupported }
