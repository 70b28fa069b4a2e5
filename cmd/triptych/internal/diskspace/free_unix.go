//go:build unix

package diskspace

import "golang.org/x/sys/unix"

// Free returns how many bytes an ordinary user can write to the disk of dir.
func Free(dir string) (int64, error) {
	var at unix.Statfs_t
	if err := unix.Statfs(dir, &at); err != nil {
		return 0, err
	}
	return int64(at.Bavail) * int64(at.Bsize), nil
}
