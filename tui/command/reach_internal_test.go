package command

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// outside are the packages through which something besides the session could be reached.
var outside = []string{
	"os", "os/exec", "os/user", "net", "net/http", "syscall", "io/ioutil", "plugin", "unsafe",
	"github.com/schedstep/schedstep/internal/bounded", "github.com/schedstep/schedstep/internal/disk",
}

// TestOneFileOfTheVerbsReachesOutside reads the imports of every file: code that reaches a file, a program or the
// network has to check in reach.go first.
func TestOneFileOfTheVerbsReachesOutside(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") || f.Name() == "reach.go" {
			continue
		}
		read++
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			for _, o := range outside {
				if name == o {
					t.Errorf("%s imports %s; reach.go does, and asks first", f.Name(), name)
				}
			}
		}
	}
	if read < 20 {
		t.Errorf("only %d files were read", read)
	}
}
