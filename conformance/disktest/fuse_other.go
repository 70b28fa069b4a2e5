//go:build !linux

package disktest

import "testing"

func (d *VolatileDisk) serve(t testing.TB) string {
	t.Skip("the disk is a loop device of Linux")
	return ""
}
