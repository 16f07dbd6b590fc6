package serve

import (
	"crypto/subtle"
	"slices"
	"unicode"

	"golang.org/x/crypto/ssh"

	"github.com/schedstep/schedstep/internal/phrase"
)

// keyExtension is where the fingerprint of a guest's key is kept between being let in and being seated.
const keyExtension = "schedstep-key"

// mostOfAName is how many letters a name may have.
const mostOfAName = 32

// admission decides which clients may come in, and how SSH is spoken with them.
func (d *Door) admission(o *Options) *ssh.ServerConfig {
	c := &ssh.ServerConfig{ServerVersion: "SSH-2.0-schedstep", MaxAuthTries: d.limits.Tries}
	if len(o.Keys) > 0 {
		c.PublicKeyCallback = func(who ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if err := d.checkName(who.User()); err != nil {
				return nil, err
			}
			offered := key.Marshal()
			if !slices.ContainsFunc(o.Keys, func(k ssh.PublicKey) bool { return slices.Equal(k.Marshal(), offered) }) {
				return nil, phrase.Errorf("this key is not known here")
			}
			return &ssh.Permissions{Extensions: map[string]string{keyExtension: ssh.FingerprintSHA256(key)}}, nil
		}
	}
	if o.Password != "" {
		c.PasswordCallback = func(who ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			if err := d.checkName(who.User()); err != nil {
				return nil, err
			}
			if subtle.ConstantTimeCompare(password, []byte(o.Password)) != 1 {
				return nil, phrase.Errorf("this is not the password of the class")
			}
			return &ssh.Permissions{}, nil
		}
	}
	return c
}

// textName describes the names that are allowed.
const textName = "A name here has 1 to 32 letters and digits, and - _ . between them: ssh -l anna ..."

// checkName refuses names that could be anything but a name. The student reads why.
func (d *Door) checkName(name string) error {
	letters, good := 0, true
	for _, r := range name {
		letters++
		good = good && (unicode.IsLetter(r) || unicode.IsDigit(r) || letters > 1 && (r == '-' || r == '_' || r == '.'))
	}
	if letters > 0 && letters <= mostOfAName && good {
		return nil
	}
	return &ssh.BannerError{Err: phrase.Errorf("not a name"), Message: d.language.Of(textName) + "\r\n"}
}
