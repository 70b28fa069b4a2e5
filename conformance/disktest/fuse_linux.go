package disktest

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// serve serves the disk as a file until the test ends and returns its path.
func (d *VolatileDisk) serve(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	server, err := fs.Mount(dir, &folder{disk: d}, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true}})
	if err != nil {
		t.Skipf("a file system of the test's own cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		err := server.Unmount()
		for end := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(end); err = server.Unmount() {
			time.Sleep(10 * time.Millisecond) // until the loop device has let go of the file
		}
		if err != nil {
			t.Errorf("unmounting: %v", err)
		}
	})
	return filepath.Join(dir, diskName)
}

const diskName = "disk"

// A folder has the disk.
type folder struct {
	fs.Inode
	disk *VolatileDisk
}

// OnAdd adds the disk to the folder.
func (f *folder) OnAdd(ctx context.Context) {
	f.AddChild(diskName, f.NewPersistentInode(ctx, &file{disk: f.disk}, fs.StableAttr{Mode: fuse.S_IFREG}), false)
}

// A file is the disk as a file.
type file struct {
	fs.Inode
	disk *VolatileDisk
}

func (f *file) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, 0, fs.OK
}

func (f *file) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size, out.Blksize = 0o600, imageSize, 4096
	return fs.OK
}

func (f *file) Setattr(ctx context.Context, handle fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return f.Getattr(ctx, handle, out)
}

func (f *file) Read(_ context.Context, _ fs.FileHandle, dest []byte, at int64) (fuse.ReadResult, syscall.Errno) {
	return fuse.ReadResultData(dest[:f.disk.read(dest, at)]), fs.OK
}

func (f *file) Write(_ context.Context, _ fs.FileHandle, data []byte, at int64) (uint32, syscall.Errno) {
	if !f.disk.write(data, at) {
		return 0, syscall.ENOSPC
	}
	return uint32(len(data)), fs.OK
}

func (f *file) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	f.disk.flush()
	return fs.OK
}
