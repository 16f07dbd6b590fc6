package oracle_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedstep/schedstep/conformance/oracle"
)

// BenchmarkSchedule is one complete Answer on a cluster of 50 nodes with 500
// running pods.
func BenchmarkSchedule(b *testing.B) {
	o, err := oracle.New(crowd(50, 10), oracle.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer o.Close()
	p := pod("p", resources("cpu", "1"))
	if err := o.Put(p); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := o.Schedule(p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNew is a fresh scheduler over the same cluster.
func BenchmarkNew(b *testing.B) {
	objects := crowd(50, 10)
	for b.Loop() {
		o, err := oracle.New(objects, oracle.Options{})
		if err != nil {
			b.Fatal(err)
		}
		o.Close()
	}
}

func crowd(nodes, podsEach int) []runtime.Object {
	var objects []runtime.Object
	for i := range nodes {
		name := fmt.Sprintf("n%02d", i)
		objects = append(objects, node(name, fmt.Sprintf("z%d", i%3), resources("cpu", "16", "memory", "64Gi")))
		for j := range podsEach {
			objects = append(
				objects, running(pod(fmt.Sprintf("%s-%d", name, j), resources("cpu", "1", "memory", "1Gi")), name, 0),
			)
		}
	}
	return objects
}
