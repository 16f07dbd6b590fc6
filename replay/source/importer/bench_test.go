package importer_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/replay/source/importer"
)

// writeCluster writes a cluster as "kubectl get nodes,pods -A -o json" prints it.
func writeCluster(tb testing.TB, nodes, pods int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "cluster.json")
	created, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	out := bufio.NewWriterSize(created, 1<<20)
	write := func(template string, i int) {
		text := strings.NewReplacer(
			"NUMBER", fmt.Sprint(i), "NODE", fmt.Sprint(i%max(nodes, 1)), "SPACE", fmt.Sprint(i%40),
		).Replace(template)
		if _, err := out.WriteString(text); err != nil {
			tb.Fatal(err)
		}
	}
	write("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n", 0)
	for i := range nodes {
		write(sampleText(tb, "bench_node.json")+",\n", i)
	}
	for i := range pods {
		if i > 0 {
			write(",\n", 0)
		}
		write(sampleText(tb, "bench_pod.json"), i)
	}
	write("\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n", 0)
	if err := out.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := created.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// sampleText is a file of testdata/bench.
func sampleText(tb testing.TB, name string) string {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "bench", name))
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimRight(string(raw), "\n")
}

// sized has a benchmark count the bytes of a file.
func sized(b *testing.B, path string) {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
}

// readAll reads a file of which every object can be read.
func readAll(b *testing.B, path string, objects int) *importer.Dump {
	b.Helper()
	dump, err := importer.Read(b.Context(), []string{path}, importer.Options{})
	if err != nil || len(dump.Objects) != objects || len(dump.Problems) != 0 {
		b.Fatalf("error %v, %d objects, problems %v", err, len(dump.Objects), dump.Problems)
	}
	return dump
}

func BenchmarkReadCluster(b *testing.B) {
	path := writeCluster(b, 5000, 50000)
	sized(b, path)
	for b.Loop() {
		dump := readAll(b, path, 55000)
		b.StopTimer()
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		b.ReportMetric(float64(memory.HeapAlloc)/(1<<20), "MiB-kept")
		runtime.KeepAlive(dump)
		b.StartTimer()
	}
}

// writePods writes pods as "kubectl get pods -A -o yaml" prints them.
func writePods(tb testing.TB, pods int) string {
	tb.Helper()
	object, err := yaml.JSONToYAML([]byte(sampleText(tb, "bench_pod.json")))
	if err != nil {
		tb.Fatal(err)
	}
	item := "- " + strings.TrimSuffix(strings.ReplaceAll(string(object), "\n", "\n  "), "  ")
	var text strings.Builder
	text.WriteString("apiVersion: v1\nitems:\n")
	for i := range pods {
		_, _ = strings.NewReplacer("NUMBER", fmt.Sprint(i), "NODE", "1", "SPACE", fmt.Sprint(i%40)).WriteString(&text, item)
	}
	text.WriteString("kind: List\nmetadata:\n  resourceVersion: \"\"\n")
	path := filepath.Join(tb.TempDir(), "pods.yaml")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func BenchmarkReadPodsAsYAML(b *testing.B) {
	path := writePods(b, 5000)
	sized(b, path)
	for b.Loop() {
		readAll(b, path, 5000)
	}
}
