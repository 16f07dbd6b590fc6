package compare

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Save writes the run to the folder SCHEDSTEP_TALLIES, for cmd/conformance-report. Without the variable it does
// nothing.
func (r *Run) Save() error {
	into := os.Getenv("SCHEDSTEP_TALLIES")
	if into == "" {
		return nil
	}
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%d.json", strings.ReplaceAll(r.Test, "/", "-"), r.From)
	return os.WriteFile(filepath.Join(into, name), data, 0o600)
}
