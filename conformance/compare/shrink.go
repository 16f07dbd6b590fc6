package compare

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/conformance/shrink"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source"
)

// Shrink leaves out events of a play for as long as it still shows a difference
// of the same kind, and returns the smaller play with what it shows. It tries no
// more than the given number of plays.
func Shrink(p Play, kind string, tries int) (Play, []Difference) {
	best, _ := showing(p, kind)
	p.Script, _ = shrink.List(p.Script, tries, func(smaller source.Script) bool {
		of := p
		of.Script = smaller
		differences, same := showing(of, kind)
		if same {
			best = differences
		}
		return same
	})
	return p, best
}

// showing plays and reports whether a difference of the kind came out.
func showing(p Play, kind string) (differences []Difference, same bool) {
	defer func() {
		if recover() != nil {
			same = false // the case became one that no cluster can be in
		}
	}()
	differences, err := p.Run(&Tally{})
	return differences, err == nil && slices.ContainsFunc(differences, func(d Difference) bool { return d.Kind() == kind })
}

// Document is a script as YAML, with what happened to each object as a comment.
func Document(script source.Script) string {
	var b strings.Builder
	for _, t := range script {
		data, err := yaml.Marshal(t.Event.Object)
		if err != nil {
			data = []byte(fmt.Sprintf("# %v\n", err))
		}
		kind, _ := cluster.KindOf(t.Event.Object)
		fmt.Fprintf(&b, "---\n# %s %s at %s\n%s", t.Event.Action, kind, t.At.Format(time.TimeOnly), data)
	}
	return b.String()
}
