package ruleset

import (
	"context"
	"slices"
)

// A FileStore is a [Store] that keeps files of rulesets. They change with the ruleset,
// by the Files of a [Draft] or a [Patch]: each change of them is a revision.
type FileStore interface {
	// Files returns the files of a ruleset in order of path. They outlive its
	// deletion. Too many of them are a [*TooManyFilesError] or a [*TooLargeError].
	Files(ctx context.Context, name Name) ([]File, error)
	// Folders returns, in order, the names of the rulesets that lists do not have: folders
	// with a [MainFile] that people keep in the store, see [Ruleset.Folder].
	Folders(ctx context.Context) ([]Name, error)
	// ReadFile returns the bytes of a file as it is now, or a [*NoFileError]. The
	// [MainFile] of a folder is one.
	ReadFile(ctx context.Context, name Name, path string) ([]byte, error)
	// ReadRevised returns the bytes of a file that a revision of the ruleset has, or a
	// [*NoFileError].
	ReadRevised(ctx context.Context, name Name, file File) ([]byte, error)
}

// FilesOf returns the files of a store, or of the one that it wraps; ok is false if it
// keeps none.
func FilesOf(s Store) (_ FileStore, ok bool) { return As[FileStore](s) }

// RestoreFiles returns the changes that make the files of a ruleset, which may be deleted,
// what they were at a revision.
func RestoreFiles(ctx context.Context, s Store, name Name, old []File) (changes []FileChange, err error) {
	store, ok := FilesOf(s)
	if !ok {
		return nil, nil // a store without files has revisions without files
	}
	files, err := store.Files(ctx, name)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f File) bool { return f.Path == MainFile })
	for _, f := range files {
		if !slices.ContainsFunc(old, func(other File) bool { return other.Path == f.Path }) {
			changes = append(changes, FileChange{Path: f.Path})
		}
	}
	for _, f := range old {
		if slices.Contains(files, f) {
			continue
		}
		data, err := store.ReadRevised(ctx, name, f)
		if err != nil {
			return nil, err
		}
		changes = append(changes, FileChange{Path: f.Path, Data: append([]byte{}, data...)}) // an empty one is not nil
	}
	return changes, nil
}
