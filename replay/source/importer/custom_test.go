package importer_test

import (
	"slices"
	"testing"

	"github.com/schedstep/schedstep/replay/source/importer"
)

// TestObjectsOfDefinitionsAreKeptWhateverTheirGroupEndsIn reads objects of groups that end in k8s.io: those of
// Kubernetes itself are of no CustomResourceDefinition, and others may be.
func TestObjectsOfDefinitionsAreKeptWhateverTheirGroupEndsIn(t *testing.T) {
	dir := folder(t, files{"all.yaml": `{apiVersion: topology.node.k8s.io/v1alpha2, kind: NodeResourceTopology, metadata: {name: n1}}
---
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: q, namespace: a}}
---
{apiVersion: quota.example.com/v1, kind: Quota, metadata: {name: q, namespace: a}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i, namespace: a}}
---
{apiVersion: metrics.k8s.io/v1beta1, kind: NodeMetrics, metadata: {name: n1}}
`})
	for custom, want := range map[bool][]string{
		true:  {"NodeResourceTopology", "ElasticQuota", "Quota"},
		false: nil,
	} {
		dump, err := importer.Read(t.Context(), []string{dir}, importer.Options{Custom: custom})
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, o := range dump.Objects {
			kinds = append(kinds, o.Object.GetObjectKind().GroupVersionKind().Kind)
		}
		if !slices.Equal(kinds, want) {
			t.Errorf("with custom %t it keeps %v, want %v", custom, kinds, want)
		}
	}
}
