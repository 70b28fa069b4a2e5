package disktest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func mount(dir string, size int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+strconv.Itoa(size))
}

// imageSize is as small as a disk with a journal may be.
const imageSize = 16 << 20

// format makes a disk in a file.
func format(ctx context.Context, path string, options []string) error {
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, imageSize)); err != nil {
		return err
	}
	return run(ctx, "mkfs.ext4", append(options, "-q", "-F", path)...)
}

// attach mounts a disk in a file.
func attach(ctx context.Context, path, dir string) error {
	return run(ctx, "mount", "-o", "loop", path, dir)
}

func run(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// unmount takes away what is still open, too: that ends when it is closed.
func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) }
