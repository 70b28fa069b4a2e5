//go:build !linux

package disktest

import (
	"context"
	"errors"
)

func mount(string, int) error { return errors.ErrUnsupported }

func format(context.Context, string, []string) error { return errors.ErrUnsupported }

func attach(_ context.Context, _, _ string) error { return errors.ErrUnsupported }

func unmount(string) error { return errors.ErrUnsupported }

func isFull(error) bool { return false } // nothing is mounted here
