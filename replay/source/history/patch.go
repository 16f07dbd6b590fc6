//go:build !js

package history

import (
	"bytes"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/schedstep/schedstep/core/cluster"
)

// longestPatch is how many operations a JSON patch may have: each may copy what is there.
const longestPatch = 1000

// patched is JSON after a patch.
func patched(base, patch []byte, row *cluster.KindRow) (out []byte, err error) {
	defer func() {
		if recover() != nil { // the patch comes from outside, and the libraries index into it
			out, err = nil, errPatch
		}
	}()
	if trimmed := bytes.TrimSpace(patch); len(trimmed) > 0 && trimmed[0] == '[' {
		operations, err := jsonpatch.DecodePatch(patch)
		if err != nil || len(operations) > longestPatch {
			return nil, errPatch
		}
		for _, o := range operations {
			if o.Kind() == "copy" { // copies of copies grow without bound
				return nil, errPatch
			}
		}
		return operations.Apply(base)
	}
	return strategicpatch.StrategicMergePatch(base, patch, row.New())
}
