package importer

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Identity is what identifies an object in an API server.
type Identity struct{ kind, namespace, name string }

// IdentityOf puts what has no namespace, and should have one, into "default": that is where it is created.
func IdentityOf(object cluster.Object) Identity {
	id := Identity{
		kind: object.GetObjectKind().GroupVersionKind().Kind, namespace: object.GetNamespace(), name: object.GetName(),
	}
	row := cluster.RowOf(cluster.Kind(id.kind))
	namespaced := row != nil && row.Namespaced || isWorkload(id.kind) || id.kind == string(quotaRows[0].Kind)
	if id.namespace == "" && namespaced {
		id.namespace = metav1.NamespaceDefault
	}
	return id
}

// withoutDuplicates keeps of several objects of one name the one with the newest resource version, and the last one
// where versions do not decide. It stands where the first of them stood. Objects that are yet to be named
// (generateName) are all kept.
func withoutDuplicates(objects []Object, f *findings) []Object {
	at := make(map[Identity]int, len(objects))
	kept := objects[:0]
	for _, o := range objects {
		object, is := o.Object.(cluster.Object)
		if !is || object.GetName() == "" {
			kept = append(kept, o)
			continue
		}
		id := IdentityOf(object)
		first, seen := at[id]
		if !seen {
			at[id] = len(kept)
			kept = append(kept, o)
			continue
		}
		winner, loser := o, kept[first]
		if old, is := loser.Object.(cluster.Object); is && version(old) > version(object) {
			winner, loser = loser, winner
		}
		f.problem(Problem{
			Severity: Notice, Where: winner.Source,
			What: phrase.Textf(
				"%s %q is also in %s; that one is older or came first, and is ignored", id.kind, NameOf(object),
				loser.Source,
			),
			like: likeness{path: "also in"},
		})
		kept[first] = winner
	}
	clear(objects[len(kept):])
	return kept
}

// version is a resource version as a number; 0 if it is none, as on hand-written objects.
func version(object cluster.Object) uint64 {
	n, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
