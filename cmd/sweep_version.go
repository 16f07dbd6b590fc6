package cmd

import (
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/sweep"
)

// mostOfAHash is how many digits of a program's hash its version has.
const mostOfAHash = 12

// hashOfProgram is that of this program's file.
var hashOfProgram = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", phrase.Errorf("%s: %w", path, disk.Bare(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	return sweep.Hash(func(to io.Writer) error {
		_, err := io.Copy(to, file)
		return err
	})
})

// versionOfResults is what results depend on: the version of schedstep, where a release has it. Two programs that are
// built from a checkout, or with plugins of others, may have the same version and decide otherwise: theirs has a part
// of the program's hash.
func versionOfResults() (string, error) {
	version, info := versionOfBuild(), new(debug.BuildInfo)
	if read, ok := debug.ReadBuildInfo(); ok {
		info = read
	}
	if strings.HasPrefix(version, "v") && !strings.Contains(version, "+dirty") && info.Main.Path == ownModule {
		return version, nil
	}
	hash, err := hashOfProgram()
	if err != nil {
		return "", err
	}
	return version + "+sha256." + hash[:mostOfAHash], nil
}
