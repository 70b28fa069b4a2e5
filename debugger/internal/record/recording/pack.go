package recording

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"
)

// Pack writes the recording anew with all that its replay needs: also the contents of the files that
// the program had mapped, which must still be the same, and of further files, such as those with debug
// information. The errors of left say which could not be added.
func (r *Recording) Pack(to io.Writer, further []string) (left []error, err error) {
	w, err := NewWriter(to)
	if err != nil {
		return nil, err
	}
	if len(r.Extensions) > 0 {
		if err := w.addExtensions(r.Extensions); err != nil {
			return nil, err
		}
	}
	files, left := r.with(further)
	for n := range files {
		if _, err := w.addFile(files[n]); err != nil {
			return nil, err
		}
	}
	for n := range r.Len() {
		e := r.Event(n)
		if err := w.Add(&e); err != nil {
			return nil, err
		}
	}
	done := make(map[[digestSize]byte]bool)
	for n := range files {
		f := &files[n]
		if done[f.Digest] {
			continue
		}
		done[f.Digest] = true
		data, err := r.contentsOf(f)
		if err != nil {
			left = append(left, err)
			continue
		}
		if err := errors.Join(w.addContents(f, data), data.Close()); err != nil {
			return left, err
		}
	}
	return left, w.Close()
}

// with returns the files of the recording and further ones, and what keeps any of these from being
// added.
func (r *Recording) with(further []string) (files []File, left []error) {
	files = slices.Clone(r.Files)
	for _, path := range further {
		f, err := describe(path)
		if err != nil {
			left = append(left, err)
		} else if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files, left
}

// describe returns the row of the table for a file that is there now.
func describe(path string) (f File, err error) {
	file, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return f, err
	}
	f = File{Path: path, Size: info.Size()}
	f.Digest, err = digestOf(file)
	return f, err
}

// contentsOf returns the contents of a file: those of the recording, or what is there now.
func (r *Recording) contentsOf(f *File) (io.ReadCloser, error) {
	if c := r.kept(f); c != nil {
		return io.NopCloser(c.read()), nil
	}
	if f.Size > packedFile {
		return nil, errors.New(f.Path + " is larger than 512 MiB")
	}
	return openSame(f)
}

// packedFile is the size of the largest file that is packed.
const packedFile = 512 << 20

// Problem returns what is wrong with a file that a replay needs, or "".
func (f *File) Problem() string {
	if problem := f.problem(); problem != "" {
		return problem
	}
	if f.Size > packedFile {
		return ""
	}
	file, err := openSame(f)
	if err != nil {
		return err.Error()
	}
	_ = file.Close() // it was only read
	return ""
}

// problem returns what is wrong with a file, as far as its size tells.
func (f *File) problem() string {
	info, err := os.Stat(f.Path)
	if err != nil {
		return err.Error()
	}
	if !info.Mode().IsRegular() || info.Size() != f.Size {
		return f.Path + " is another file"
	}
	return ""
}

// readSame reads a file that must have the contents of the table.
func readSame(want *File) ([]byte, error) {
	file, err := openSame(want)
	if err != nil {
		return nil, err
	}
	data, err := readWhole(file, want.Size)
	return data, errors.Join(err, file.Close())
}

// openSame opens a file that must have the contents of the table.
func openSame(want *File) (*os.File, error) {
	if problem := want.problem(); problem != "" {
		return nil, errors.New(problem)
	}
	file, err := os.Open(want.Path)
	if err != nil {
		return nil, err
	}
	digest, err := digestOf(io.LimitReader(file, want.Size+1))
	if err == nil && digest != want.Digest {
		err = errors.New(want.Path + otherContents)
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// otherContents says of a file that it has changed.
const otherContents = " has other contents than when the program was recorded"

// readWhole reads a file of a known size.
func readWhole(file io.Reader, size int64) ([]byte, error) {
	data := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := io.Copy(data, io.LimitReader(file, size+1))
	return data.Bytes(), err
}

// digestOf returns the digest of a file's contents.
func digestOf(r io.Reader) (digest [32]byte, err error) {
	sum := sha256.New()
	_, err = io.Copy(sum, r)
	sum.Sum(digest[:0])
	return digest, err
}
