package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
)

// manifestName is the name of the last entry.
const manifestName = "manifest.json"

// A writer writes entries and their hashes.
type writer struct {
	gzip    *gzip.Writer
	tar     *tar.Writer
	entries []Entry
}

func newWriter(to io.Writer) *writer {
	z := gzip.NewWriter(to)
	return &writer{gzip: z, tar: tar.NewWriter(z)}
}

// add writes an entry.
func (w *writer) add(name string, mode fs.FileMode, content []byte) error {
	return w.stream(name, mode, int64(len(content)), bytes.NewReader(content))
}

// stream writes an entry of a known size.
func (w *writer) stream(name string, mode fs.FileMode, size int64, content io.Reader) error {
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: int64(mode.Perm()), Size: size, Format: tar.FormatPAX}); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w.tar, sum), io.LimitReader(content, size))
	if err != nil {
		return err
	}
	if n != size {
		return fmt.Errorf("%s has become shorter while it was read", name)
	}
	w.entries = append(w.entries, Entry{Name: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// bounded writes an entry that is read as a whole.
func (w *writer) bounded(name string, mode fs.FileMode, content []byte, limit int64) error {
	if err := within(name, int64(len(content)), limit); err != nil {
		return err
	}
	return w.add(name, mode, content)
}

// file writes a file as it is when it is opened: files of a data folder are replaced as a
// whole or appended to.
func (w *writer) file(name, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was replaced or removed meanwhile
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return w.stream(name, info.Mode(), info.Size(), f)
}

// lines writes lines through a temporary file, for they may be more than the memory.
func (w *writer) lines(name string, lines iter.Seq2[[]byte, error]) error {
	return w.temporary(name, func(out *bufio.Writer) error {
		for line, err := range lines {
			if err != nil {
				return err
			}
			if err := within("a line of "+name, int64(len(line))+1, maxLineSize); err != nil {
				return err
			}
			_, _ = out.Write(line) // temporary tells
			_ = out.WriteByte('\n')
		}
		return nil
	})
}

// temporary writes an entry through a temporary file: its size comes before its bytes.
func (w *writer) temporary(name string, fill func(*bufio.Writer) error) error {
	f, err := os.CreateTemp("", "triptych-backup-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // of no use any more
	defer func() { _ = f.Close() }()
	out := bufio.NewWriter(f)
	if err := errors.Join(fill(out), out.Flush()); err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return w.stream(name, 0o600, size, f)
}

// writeArray writes an entry of a JSON array, element by element.
func writeArray[T any](w *writer, name string, all []T) error {
	return w.temporary(name, func(out *bufio.Writer) error {
		for i := range all {
			text, err := json.Marshal(&all[i])
			if err != nil {
				return err
			}
			if err := within("an element of "+name, int64(len(text)), maxElementSize); err != nil {
				return err
			}
			_ = out.WriteByte("[,"[min(i, 1)]) // temporary tells
			_, _ = out.Write(text)
		}
		_, err := out.WriteString("]\n")
		return err
	})
}

// elementsAtOnce is the number of elements of an array that are restored together.
const elementsAtOnce = 1000

// elements yields the elements of a JSON array, some at a time.
func elements[T any](content io.Reader) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		bounded := &boundedReader{r: content, what: "an element", limit: maxElementSize}
		bounded.next()
		in := json.NewDecoder(bounded)
		if open, err := in.Token(); err != nil || open != json.Delim('[') {
			yield(nil, errors.Join(err, errors.New("this is no array")))
			return
		}
		var some []T
		for in.More() {
			bounded.next()
			var one T
			if err := in.Decode(&one); err != nil {
				yield(nil, err)
				return
			}
			if some = append(some, one); len(some) == elementsAtOnce {
				if !yield(some, nil) {
					return
				}
				some = nil
			}
		}
		if _, err := in.Token(); err != nil {
			yield(nil, err)
			return
		}
		if len(some) > 0 {
			yield(some, nil)
		}
	}
}

// close writes the manifest and ends the archive.
func (w *writer) close(m *Manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(w.bounded(manifestName, 0o600, append(text, '\n'), maxManifestSize), w.tar.Close(), w.gzip.Close())
}

// each calls visit with the entries of an archive, in their order, and then seen, unless it
// is nil, with their sizes and hashes. What visit does not read of a content is skipped: an
// entry may be larger than the memory.
func each(from io.Reader, visit func(name string, content io.Reader) error, seen func(Entry)) error {
	z, err := gzip.NewReader(from)
	if err != nil {
		return err
	}
	archive := tar.NewReader(z)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, z) //nolint:gosec // it checks the sum at the end, and keeps nothing
			return err
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s: this is no entry of a backup", header.Name)
		}
		sum := sha256.New()
		content := io.TeeReader(archive, sum)
		if err := visit(header.Name, content); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return err
		}
		if seen != nil {
			seen(Entry{Name: header.Name, Size: header.Size, SHA256: hex.EncodeToString(sum.Sum(nil))})
		}
	}
}

// linesOf yields the lines of a text.
func linesOf(text io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReader(text)
		for {
			line, err := readLine(in, maxLineSize)
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, err)
				return
			}
			if !yield(bytes.TrimSuffix(line, []byte{'\n'}), nil) {
				return
			}
		}
	}
}
