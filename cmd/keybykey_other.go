//go:build !linux && !darwin

package cmd

import (
	"errors"
	"os"
)

// keyByKey is not known here; Ctrl-C ends what has no screen yet.
func keyByKey(*os.File) (restore func(), err error) { return nil, errors.ErrUnsupported }
