// Package bounded reads whole files that are meant to be small, such as configurations, certificates and scenarios. A
// device or a file without end is an error, not the end of the memory. It reads no input that may rightly be large.
package bounded

import (
	"io"
	"os"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/internal/phrase"
)

// ReadFile is os.ReadFile for files of at most so many bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return ReadAll(f, most)
}

// ReadAll is io.ReadAll for at most so many bytes.
func ReadAll(in io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, phrase.Errorf(
			"it is larger than %s, the most that is read", resource.NewQuantity(most, resource.BinarySI),
		)
	}
	return text, err
}
