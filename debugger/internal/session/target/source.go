package target

import (
	"fmt"
	"os"
	"path/filepath"
)

// SourcePath returns the path under which a source file of the program can be read here. In
// a container the program's own file comes first: outside, another one may have its path.
// Programs that were built outside of their container have their sources outside.
func (d *Target) SourcePath(file string) string {
	if d.Process == nil || !filepath.IsAbs(file) {
		return file
	}
	process := fmt.Sprintf("/proc/%d", d.Process.ID())
	if hasOurFiles(process) {
		return file
	}
	inside := filepath.Join(process, "root", file)
	if info, err := os.Stat(inside); err == nil && info.Mode().IsRegular() {
		return inside
	}
	return file
}

// hasOurFiles reports whether a process, by its folder in /proc, has the mounts and the root
// of this one.
func hasOurFiles(process string) bool {
	theirs, err := os.Readlink(process + "/ns/mnt")
	if err != nil {
		return true // it has ended, or its files cannot be read either
	}
	if ours, err := os.Readlink("/proc/self/ns/mnt"); err != nil || ours != theirs {
		return err != nil
	}
	theirRoot, err := os.Stat(process + "/root")
	if err != nil {
		return true
	}
	ourRoot, err := os.Stat("/")
	return err != nil || os.SameFile(theirRoot, ourRoot)
}
