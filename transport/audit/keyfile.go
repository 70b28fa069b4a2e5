package audit

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/triptych-mcp/triptych/transport/internal/atomicfile"
)

// The files of the signing key, in the folder of the trail. The key pair is PEM: PKCS #8 and
// SubjectPublicKeyInfo, which other programs read too.
const (
	keyFile    = "signing.key"
	publicFile = "signing.pub"
)

// loadKey reads the signing key of a folder, making it if there is none. The public
// key is made where it is missing: the process that made the other one may have been
// killed in between.
func loadKey(dir string) (ed25519.PrivateKey, error) {
	path := filepath.Join(dir, keyFile)
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(path); err != nil {
			return nil, fmt.Errorf("making the signing key: %w", err)
		}
		key, err = readKey(path)
	}
	if err != nil {
		return nil, err
	}
	err = writePublic(dir, key.Public().(ed25519.PublicKey))
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		err = nil // publicKeyIn does without the file
	}
	return key, err
}

// publicKeyIn reads the public key of a folder, or derives it from the signing key where the
// file is missing: a process may have been killed before it made it, and the folder may be
// read-only now.
func publicKeyIn(dir string) (ed25519.PublicKey, error) {
	public, err := ReadPublicKey(filepath.Join(dir, publicFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return public, err
	}
	key, keyErr := readKey(filepath.Join(dir, keyFile))
	if errors.Is(keyErr, fs.ErrNotExist) {
		return nil, err
	}
	if keyErr != nil {
		return nil, keyErr
	}
	return key.Public().(ed25519.PublicKey), nil
}

// ReadPublicKey reads the public key of a PEM file, such as signing.pub in the
// folder of a trail, or a copy of it that was taken elsewhere.
func ReadPublicKey(path string) (ed25519.PublicKey, error) {
	return readPEM[ed25519.PublicKey](path, x509.ParsePKIXPublicKey)
}

// Fingerprint is a short name of a public key, to compare by eye.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return "SHA256:" + hex.EncodeToString(sum[:])
}

// readKey reads the private key of a PEM file.
func readKey(path string) (ed25519.PrivateKey, error) {
	return readPEM[ed25519.PrivateKey](path, x509.ParsePKCS8PrivateKey)
}

// readPEM reads the Ed25519 key, one or the other half, of a PEM file.
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

// makeKey makes a key, unless another process was faster.
func makeKey(path string) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return writeNew(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// writePublic puts the public key beside the other one, unless one is there.
func writePublic(dir string, key ed25519.PublicKey) error {
	path := filepath.Join(dir, publicFile)
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
	tmp, err := os.CreateTemp(filepath.Dir(path), tempPrefix) // mode 0600
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
