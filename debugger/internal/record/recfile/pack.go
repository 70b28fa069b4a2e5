package recfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Pack writes a recording anew with all that its replay needs: also the contents of the files that
// the program had mapped, which must still be the same, and of further files, such as those with debug
// information, which a function chooses. The errors of left say which could not be added. The
// recording is read twice, and a part of a block at a time is in memory.
func Pack(from io.ReadSeeker, to io.Writer, further func(mapped []File) []string) (left []error, err error) {
	p := packer{found: newRecording(unlimited{})}
	if err := eachBlock(from, p.survey); err != nil {
		return nil, err
	}
	if p.to, err = NewWriter(to); err != nil {
		return nil, err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if err := eachBlock(from, p.copy); err != nil {
		return nil, err
	}
	files, left := p.found.with(further(p.found.Files))
	unread, err := p.add(files)
	left = append(left, unread...)
	if err != nil {
		return left, err
	}
	if !p.ended {
		return left, p.to.zip.Close()
	}
	return left, p.to.Close()
}

// A packer packs a recording.
type packer struct {
	found  *Recording // its files; contents are only counted
	events bool       // it has some
	blocks int        // that are whole, without the last one
	ended  bool       // the last one is there
	to     *Writer
}

// eachBlock opens the blocks of a recording.
func eachBlock(from io.Reader, f func(in *bufio.Reader) error) error {
	zip, err := unpack(from)
	if err != nil {
		return err
	}
	defer zip.Close()
	return f(bufio.NewReaderSize(zip, readSize))
}

// survey reads which files a recording has, and how many whole blocks.
func (p *packer) survey(in *bufio.Reader) error {
	defer p.found.reader.release()
	for ; !p.ended; p.blocks++ {
		tag, n, err := p.found.blockHead(in)
		if err == nil {
			err = p.surveyBlock(tag, n, in)
		}
		if errors.Is(err, errEnds) {
			break
		}
		if err != nil {
			return err
		}
		p.ended = tag == blockEnd
	}
	if p.ended {
		p.blocks--
	}
	if !p.events {
		return fmt.Errorf("%w: it has no events", ErrCorrupt)
	}
	return nil
}

func (p *packer) surveyBlock(tag byte, n uint64, in *bufio.Reader) error {
	switch tag {
	case blockFile, blockContents:
		b, err := p.found.payload(in, n)
		if err != nil {
			return err
		}
		if tag == blockFile {
			return p.found.file(b)
		}
		_, _, err = p.found.piece(b)
		return err
	case blockSegment:
		p.found.table = nil
	case blockEvent:
		p.events = true
	case blockExtensions, blockEnd:
	default:
		return ErrCorrupt
	}
	if _, err := in.Discard(int(n)); err != nil {
		return endsEarly(err)
	}
	return nil
}

// copy copies the whole blocks.
func (p *packer) copy(in *bufio.Reader) error {
	var counted Recording
	for range p.blocks {
		tag, n, err := counted.blockHead(in)
		if err == nil {
			err = p.to.copyBlock(tag, n, in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyBlock writes a block whose payload is the next n bytes of a reader.
func (w *Writer) copyBlock(tag byte, n uint64, from io.Reader) error {
	if tag == blockContents {
		w.contents += int64(n) + blockCost
	} else if w.size += int64(n) + blockCost; w.size > MaxSize {
		return errTooMany
	}
	if _, err := w.zip.Write(binary.AppendUvarint([]byte{tag}, n)); err != nil {
		return err
	}
	for n > 0 {
		part := min(n, readSize)
		w.buf = slices.Grow(w.buf[:0], readSize)[:part]
		if _, err := io.ReadFull(from, w.buf); err != nil {
			return err
		}
		if _, err := w.zip.Write(w.buf); err != nil {
			return err
		}
		n -= part
	}
	return nil
}

// add adds files that the recording has not, and the contents that it has not.
func (p *packer) add(files []File) (left []error, err error) {
	for n := len(p.found.Files); n < len(files); n++ {
		if _, err := p.to.AddFile(files[n]); err != nil {
			return nil, err
		}
	}
	done := make(map[[DigestSize]byte]bool)
	for n := range files {
		f := &files[n]
		if done[f.Digest] || p.found.contents[f.Digest].complete() {
			continue
		}
		done[f.Digest] = true
		data, err := openPacked(f)
		if err != nil {
			left = append(left, err)
			continue
		}
		if err := errors.Join(p.to.AddContents(f, data), data.Close()); err != nil {
			return left, err
		}
	}
	return left, nil
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
	f.Digest, err = DigestOf(file)
	return f, err
}

// openPacked opens a file that is packed.
func openPacked(f *File) (*os.File, error) {
	if f.Size > packedFile {
		return nil, errors.New(f.Path + " is larger than 512 MiB")
	}
	return OpenSame(f)
}

// packedFile is the size of the largest file that is packed.
const packedFile = 512 << 20

// Problem returns what is wrong with a file that a replay needs, or "".
func (f *File) Problem() string {
	if problem := f.SizeProblem(); problem != "" {
		return problem
	}
	if f.Size > packedFile {
		return ""
	}
	file, err := OpenSame(f)
	if err != nil {
		return err.Error()
	}
	_ = file.Close() // it was only read
	return ""
}

// SizeProblem returns what is wrong with a file, as far as its size tells.
func (f *File) SizeProblem() string {
	info, err := os.Stat(f.Path)
	if err != nil {
		return err.Error()
	}
	if !info.Mode().IsRegular() || info.Size() != f.Size {
		return f.Path + " is another file"
	}
	return ""
}

// ReadSame reads a file that must have the contents of the table.
func ReadSame(want *File) ([]byte, error) {
	file, err := OpenSame(want)
	if err != nil {
		return nil, err
	}
	data, err := ReadWhole(file, want.Size)
	return data, errors.Join(err, file.Close())
}

// OpenSame opens a file that must have the contents of the table.
func OpenSame(want *File) (*os.File, error) {
	if problem := want.SizeProblem(); problem != "" {
		return nil, errors.New(problem)
	}
	file, err := os.Open(want.Path)
	if err != nil {
		return nil, err
	}
	digest, err := DigestOf(io.LimitReader(file, want.Size+1))
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

// ReadWhole reads a file of a known size.
func ReadWhole(file io.Reader, size int64) ([]byte, error) {
	data := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := io.Copy(data, io.LimitReader(file, size+1))
	return data.Bytes(), err
}

// DigestOf returns the digest of a file's contents.
func DigestOf(r io.Reader) (digest [32]byte, err error) {
	sum := sha256.New()
	_, err = io.Copy(sum, r)
	sum.Sum(digest[:0])
	return digest, err
}
