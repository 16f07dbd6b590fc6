package importer_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/replay/source/importer"
)

func TestSortPutsPodsToPlaceLastByCreation(t *testing.T) {
	const text = `
{"kind":"Pod","apiVersion":"v1","metadata":{"name":"young","namespace":"a","creationTimestamp":"2026-01-02T00:00:00Z"}}
{"kind":"Pod","apiVersion":"v1","metadata":{"name":"old","namespace":"b","creationTimestamp":"2026-01-01T00:00:00Z"}}
{"kind":"Pod","apiVersion":"v1","metadata":{"name":"twin","namespace":"a","creationTimestamp":"2026-01-01T00:00:00Z"}}
{"kind":"Pod","apiVersion":"v1","metadata":{"name":"bound","namespace":"z","creationTimestamp":"2026-01-03T00:00:00Z"},"spec":{"nodeName":"n1"}}
{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"d","namespace":"a"}}
{"kind":"Service","apiVersion":"v1","metadata":{"name":"s","namespace":"a"}}
{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"c","namespace":"a"}}
{"kind":"Node","apiVersion":"v1","metadata":{"name":"n2"}}
{"kind":"Node","apiVersion":"v1","metadata":{"name":"n10"}}
{"kind":"PriorityClass","apiVersion":"scheduling.k8s.io/v1","metadata":{"name":"p"},"value":1}
{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"z"}}
`
	dump, err := importer.Read(
		t.Context(), []string{"-"}, importer.Options{Streams: map[string]io.Reader{"-": strings.NewReader(text)}},
	)
	if err != nil {
		t.Fatal(err)
	}
	importer.Sort(dump.Objects)
	var got []string
	for _, o := range dump.Objects {
		meta, ok := o.Object.(metav1.Object)
		if !ok {
			t.Fatalf("%T has no metadata", o.Object)
		}
		got = append(got, fmt.Sprintf(
			"%s %s/%s", o.Object.GetObjectKind().GroupVersionKind().Kind, meta.GetNamespace(), meta.GetName(),
		))
	}
	want := []string{
		"Namespace /z", "PriorityClass /p", "Node /n10", "Node /n2", "PersistentVolumeClaim a/c", "Service a/s",
		"PodDisruptionBudget a/d",
		"Pod z/bound", "Pod a/twin", "Pod b/old", "Pod a/young",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestManifestsAreAppliedInTheOrderOfTheirFile(t *testing.T) {
	var text strings.Builder
	for _, name := range []string{"p1", "p2", "p10"} {
		text.WriteString("---\nkind: Pod\napiVersion: v1\nmetadata: {name: " + name + "}\n")
	}
	dump, err := importer.Read(t.Context(), []string{"-"}, importer.Options{
		Streams: map[string]io.Reader{"-": strings.NewReader(text.String())},
	})
	if err != nil {
		t.Fatal(err)
	}
	importer.Sort(dump.Objects)
	var got []string
	for _, o := range dump.Objects {
		got = append(got, o.Object.(metav1.Object).GetName())
	}
	if diff := cmp.Diff([]string{"p1", "p2", "p10"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
