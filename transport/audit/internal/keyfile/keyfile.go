// Package keyfile stores the signing key of an audit trail in two PEM files of a folder:
// the private key as PKCS #8 and the public key as SubjectPublicKeyInfo, the forms that
// openssl and other programs read.
//
// Processes may share the folder. A file appears with its whole content and without a
// lock: of two processes that make a key at once one wins, and both then read that key. A
// process that is killed after the first file leaves a folder without the second; [Load]
// makes it, and [Public] does without it.
package keyfile

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// The names of the files.
const (
	PrivateName = "signing.key"
	PublicName  = "signing.pub"
)

// TempPrefix begins the names of files and folders that are not finished. One that is older
// than an hour was left by a process that was killed, and may be deleted.
const TempPrefix = ".new-"

// Load returns the private key of a folder that exists, and makes both files where they are
// missing. A folder in which it may not write the public key, such as one that is mounted
// read-only with a private key in it, is no error.
func Load(dir string) (ed25519.PrivateKey, error) {
	key, err := Private(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(filepath.Join(dir, PrivateName)); err != nil {
			return nil, fmt.Errorf("making the signing key: %w", err)
		}
		key, err = Private(dir)
	}
	if err != nil {
		return nil, err
	}
	return key, unlessReadOnly(createPublic(dir, key.Public().(ed25519.PublicKey))) // Public does without the file
}

// Public returns the public key of a folder, derived from the private key where its file is
// missing. The error wraps [fs.ErrNotExist] if the folder has neither. It writes nothing, so
// that a trail can be verified in a folder that is read-only.
func Public(dir string) (ed25519.PublicKey, error) {
	public, err := ReadPublic(filepath.Join(dir, PublicName))
	if !errors.Is(err, fs.ErrNotExist) {
		return public, err
	}
	key, keyErr := Private(dir)
	if errors.Is(keyErr, fs.ErrNotExist) {
		return nil, err
	}
	if keyErr != nil {
		return nil, keyErr
	}
	return key.Public().(ed25519.PublicKey), nil
}

// ReadPublic reads a public key from a PEM file.
func ReadPublic(path string) (ed25519.PublicKey, error) {
	return readPEM[ed25519.PublicKey](path, x509.ParsePKIXPublicKey)
}

// Private returns the private key of a folder, and makes nothing. The error wraps
// [fs.ErrNotExist] if there is none.
func Private(dir string) (ed25519.PrivateKey, error) {
	return readPEM[ed25519.PrivateKey](filepath.Join(dir, PrivateName), x509.ParsePKCS8PrivateKey)
}

// Replace puts another private key in the place of the one of a folder. When it returns, the
// key survives a power cut; a process that reads meanwhile gets the old or the new one.
func Replace(dir string, key ed25519.PrivateKey) error {
	text, err := encodePrivate(key)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, PrivateName), text, 0o600)
}

// ReplacePublic does the same with the public key. A folder in which it may not write keeps
// the old one, which is no error: a trail that is verified with the old key learns from its
// rotations which key is trusted after it.
func ReplacePublic(dir string, key ed25519.PublicKey) error {
	text, err := encodePublic(key)
	if err != nil {
		return err
	}
	return unlessReadOnly(atomicfile.Write(filepath.Join(dir, PublicName), text, 0o600))
}

// unlessReadOnly drops the errors of a folder in which the process may not write.
func unlessReadOnly(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}

// readPEM reads an Ed25519 key, the private or the public one, from a PEM file.
func readPEM[K any](path string, parse func(der []byte) (any, error)) (key K, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return key, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return key, fmt.Errorf("%s is not a PEM file", path)
	}
	parsed, err := parse(block.Bytes)
	if err != nil {
		return key, fmt.Errorf("%s: %w", path, err)
	}
	key, ok := parsed.(K)
	if !ok {
		return key, fmt.Errorf("%s is no Ed25519 key", path)
	}
	return key, nil
}

// create makes a private key, unless another process was faster.
func create(path string) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	text, err := encodePrivate(key)
	if err != nil {
		return err
	}
	return writeNew(path, text)
}

// encodePrivate returns a private key as PEM.
func encodePrivate(key ed25519.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// createPublic puts the public key beside the private one, unless one is there.
func createPublic(dir string, key ed25519.PublicKey) error {
	path := filepath.Join(dir, PublicName)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := encodePublic(key)
	if err != nil {
		return err
	}
	return writeNew(path, text)
}

// encodePublic returns a public key as PEM.
func encodePublic(key ed25519.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// writeNew makes a file, and leaves one that is there as it is.
func writeNew(path string, text []byte) error {
	err := createWhole(path, text)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// createWhole makes a file that appears with all its contents, or fails with
// [fs.ErrExist].
func createWhole(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), TempPrefix) // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // it has a second name by then
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(path))
}
