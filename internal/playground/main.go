// Command playground makes the page of the playground: one file with the page, Go's runtime for browsers and the
// program of cmd/playground as WebAssembly, packed. It needs no server and no network.
package main

import (
	_ "embed"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed page.html
var page string

func main() {
	out := flag.String("o", "dist/playground/index.html", "the page")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	program, err := compiled()
	if err != nil {
		return err
	}
	small, err := packed(program)
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	runtime, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	whole := strings.NewReplacer(
		"@RUNTIME@", string(runtime), "@WASM@", pieces(small),
	).Replace(page)
	if err := os.WriteFile(out, []byte(whole), 0o644); err != nil {
		return err
	}
	fmt.Printf("%s: %.1f MB, of which the program is %.1f MB, packed (%.1f MB as it runs)\n",
		out, megabytes(len(whole)), megabytes(len(small)), megabytes(len(program)))
	return nil
}

func megabytes(bytes int) float64 { return float64(bytes) / 1e6 }

// compiled is the program for browsers, without what only a debugger needs. Nothing is inlined: that would make it a
// fifth larger, packed.
func compiled() ([]byte, error) {
	folder, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	modfile, err := lean(folder)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "playground.wasm")
	build := exec.Command(
		"go", "build", "-trimpath", "-modfile", modfile, "-gcflags", "all=-l", "-ldflags", "-s -w", "-o", file,
		"./cmd/playground",
	)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, text)
	}
	return os.ReadFile(file)
}

// pieces is the packed program in base64, in elements of nearly the same length, at most 192 KB: a browser copies the
// text that an element has for each 64 KB that it adds to it.
func pieces(program []byte) string {
	const longest = 192 << 10
	count := (len(program) + longest - 1) / longest
	var all strings.Builder
	for piece := range slices.Chunk(program, (len(program)+count-1)/count) {
		fmt.Fprintf(&all, "<script class=\"wasm\" type=\"application/octet-stream\">%s</script>\n",
			base64.StdEncoding.EncodeToString(piece))
	}
	return all.String()
}
