// Package bounded reads what is meant to be small: whole files such as configurations, certificates and scenarios, and
// quantities that a person writes. A device or a file without end is an error, not the end of the memory. It reads no
// input that may rightly be large.
package bounded

import (
	"fmt"
	"io"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
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
		return nil, fmt.Errorf("it is larger than %s, the most that is read", resource.NewQuantity(most, resource.BinarySI))
	}
	return text, err
}

// mostOfAnExponent is how many digits one may have: 1e9999 is beyond any amount.
const mostOfAnExponent = 4

// Quantity is resource.ParseQuantity for amounts with an exponent that can be worked out: of 1e-99999999 that function
// makes a number of a hundred million digits, and nothing stops it.
func Quantity(text string) (resource.Quantity, error) {
	if at := strings.LastIndexAny(text, "eE"); at >= 0 && len(strings.TrimLeft(text[at+1:], "+-0")) > mostOfAnExponent {
		return resource.Quantity{}, resource.ErrFormatWrong
	}
	return resource.ParseQuantity(text)
}
