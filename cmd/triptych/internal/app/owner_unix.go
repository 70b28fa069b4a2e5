//go:build unix

package app

import (
	"fmt"
	"os"
	"syscall"
)

// becomeOwner changes an administrator's process to the user that owns the data folder.
// Files that root made there could not be read by the service that runs as that user,
// which would not start again. It does nothing for other users, for a folder that belongs
// to root or does not exist yet, and where the kernel does not allow the change, as in a
// container whose namespace lacks that user.
func becomeOwner(folder string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(folder)
	if err != nil {
		return nil // who opens it says why
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	if err := syscall.Setgroups([]int{int(owner.Gid)}); err != nil {
		return nil
	}
	if err := syscall.Setgid(int(owner.Gid)); err != nil {
		return nil
	}
	if err := syscall.Setuid(int(owner.Uid)); err != nil {
		return fmt.Errorf("changing to user %d, who owns %s: %w", owner.Uid, folder, err)
	}
	return nil
}
