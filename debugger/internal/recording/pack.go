package recording

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
)

// Pack writes the recording anew with all that its replay needs: also the contents of the files that
// the program had mapped, which must still be the same. The errors of left say which could not be
// added.
func (r *Recording) Pack(to io.Writer) (left []error, err error) {
	w, err := NewWriter(to)
	if err != nil {
		return nil, err
	}
	if len(r.Extensions) > 0 {
		if err := w.addExtensions(r.Extensions); err != nil {
			return nil, err
		}
	}
	for n := range r.Files {
		if _, err := w.addFile(r.Files[n]); err != nil {
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
	for n := range r.Files {
		f := &r.Files[n]
		if done[f.Digest] {
			continue
		}
		done[f.Digest] = true
		data, err := r.contentsOf(f)
		if err != nil {
			left = append(left, err)
			continue
		}
		if err := w.addContents(f, data); err != nil {
			return left, err
		}
	}
	return left, w.Close()
}

// contentsOf returns the contents of a file: those of the recording, or what is there now.
func (r *Recording) contentsOf(f *File) ([]byte, error) {
	if c := r.kept(f); c != nil {
		return io.ReadAll(c.read())
	}
	if f.Size > packedFile {
		return nil, errors.New(f.Path + " is larger than 512 MiB")
	}
	return readSame(f)
}

// packedFile is the size of the largest file that is packed.
const packedFile = 512 << 20

// Problem returns what is wrong with a file that a replay needs, or "".
func (f *File) Problem() string {
	if problem := f.problem(); problem != "" {
		return problem
	}
	if _, err := readSame(f); err != nil && f.Size <= packedFile {
		return err.Error()
	}
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
	if problem := want.problem(); problem != "" {
		return nil, errors.New(problem)
	}
	file, err := os.Open(want.Path)
	if err != nil {
		return nil, err
	}
	data, err := readWhole(file, want.Size)
	if err = errors.Join(err, file.Close()); err == nil && sha256.Sum256(data) != want.Digest {
		err = errors.New(want.Path + otherContents)
	}
	return data, err
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
