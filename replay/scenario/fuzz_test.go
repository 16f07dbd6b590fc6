package scenario_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/scenario"
)

var lined = regexp.MustCompile(`^x line [1-9][0-9]*: `)

// FuzzParse: nothing panics, and every sentence of an error has its line.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../../core/testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("pod a affinity=a=b|c,!d@zone@ns=x@ns-labels= spread=@hostname@max-skew=2 toleration=*:NoExecute\n"))
	f.Add([]byte("yaml update\n  kind: Pod\n\n  apiVersion: v1\nconfig\n\tprofiles: []\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		scenario.Looks(data)
		_, err := scenario.Parse("x", data)
		if err == nil {
			return
		}
		for _, line := range strings.Split(err.Error(), "\n") {
			if !lined.MatchString(line) {
				t.Errorf("no line in %q", line)
			}
		}
	})
}
