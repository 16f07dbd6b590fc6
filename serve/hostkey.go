package serve

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/crypto/ssh"

	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
)

// mostOfAKey is far beyond any key.
const mostOfAKey = 1 << 16

// HostKey is the key by which guests know the server again. It is made when the file is not there, and kept for its
// owner alone.
func HostKey(path string) (ssh.Signer, error) {
	text, err := bounded.ReadFile(path, mostOfAKey)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = newHostKey(path)
	}
	if err != nil {
		return nil, phrase.Errorf("host key %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, phrase.Errorf("host key: %w", err)
	}
	if os.PathSeparator == '/' && info.Mode().Perm()&0o077 != 0 {
		return nil, phrase.Errorf("host key %s: others may read it (chmod 600 mends that, if nobody has)", path)
	}
	signer, err := ssh.ParsePrivateKey(text)
	if err != nil {
		return nil, phrase.Errorf("host key %s: %w", path, err)
	}
	return signer, nil
}

func newHostKey(path string) ([]byte, error) {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "schedstep class")
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(block)
	return text, disk.Keep(path, text)
}

// ReadKeys reads the keys of the people allowed in, in the format of ~/.ssh/authorized_keys. Options before a key are
// refused: none of them would hold here.
func ReadKeys(path string) ([]ssh.PublicKey, error) {
	text, err := bounded.ReadFile(path, 64*mostOfAKey)
	if err != nil {
		return nil, phrase.Errorf("keys %s: %w", path, err)
	}
	var keys []ssh.PublicKey
	for number, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		key, _, options, _, err := ssh.ParseAuthorizedKey(line)
		switch {
		case err != nil:
			return nil, phrase.Errorf("keys %s line %d: this is no public key (want: ssh-ed25519 AAAA... anna)", path, number+1)
		case len(options) > 0:
			return nil, phrase.Errorf("keys %s line %d: the option %q means nothing here", path, number+1, options[0])
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, phrase.Errorf("keys %s: there is none", path)
	}
	return keys, nil
}
