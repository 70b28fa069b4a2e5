package wholefile

import "io/fs"

// Swap is Write for a file that is replaced often: the text that goes stays
// beside it in a file of the name spare, which is written over the next time.
// That takes a disk less than a new file and the end of an old one. Several files
// of a folder may share a spare. Only one caller at a time may use it, of all
// processes: Swap is for callers that have a lock.
//
// A spare is written over only while nobody else can see it: where that is not
// certain, Swap is Write.
func Swap(path, spare string, data []byte, perm fs.FileMode) error {
	if done, err := exchange(path, spare, data); done {
		return err
	}
	keep(path, spare)
	return Write(path, data, perm)
}
