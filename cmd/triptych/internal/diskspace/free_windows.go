package diskspace

import "golang.org/x/sys/windows"

// Free returns how many bytes this user can write to the disk of dir.
func Free(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var available uint64
	if err := windows.GetDiskFreeSpaceEx(name, &available, nil, nil); err != nil {
		return 0, err
	}
	return int64(available), nil
}
