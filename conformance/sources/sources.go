// Package sources makes kube-scheduler 1.6 and 1.10 build again. They are from before Go had modules: what is served of
// k8s.io/kubernetes has no go.mod, and nothing in its vendor folder. But it has the staging modules, and the few other
// packages that the scheduler needs are served at later versions that have the same interface. So the sources are
// copied, each staging module gets a go.mod, and the main one gets that of this package (v1_10.mod), which is written
// for it. Nothing that decides about a pod is changed.
package sources

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Release is a kube-scheduler from before modules.
type Release struct {
	Version string // such as 1.10
	Patch   string // such as 1.10.13
	Folder  string // of the scheduler in the sources, such as pkg/scheduler
	parts   []string
	// mend is called, where it is not nil, before a file of a folder of Kubernetes is copied: instead is what is written,
	// and drop leaves the file out.
	mend func(path string) (instead string, drop bool)
}

// Releases are those that this package knows.
func Releases() []Release {
	return []Release{
		{
			Version: "1.10", Patch: "1.10.13", Folder: "pkg/scheduler",
			parts: []string{"pkg", "plugin", "third_party"},
		},
		{
			Version: "1.6", Patch: "1.6.13", Folder: "plugin/pkg/scheduler",
			parts: []string{"pkg", "plugin", "third_party", "federation", "cmd/kubeadm/app"},
			mend:  mend1_6,
		},
	}
}

// The client of Amazon's cloud is in 1.6 for one number: how many disks an instance may have.
const (
	amazon      = "pkg/cloudprovider/providers/aws/"
	amazonsDisk = "package aws\n\n// DefaultMaxEBSVolumes is what 1.6.13 says.\nconst DefaultMaxEBSVolumes = 39\n"
)

// mend1_6 leaves out the methods that were generated for a version of the codec that is not served any more (the codec
// reads types without them), and Amazon's client.
func mend1_6(path string) (string, bool) {
	switch {
	case filepath.Base(path) == "types.generated.go":
		return "", true
	case path == amazon+"aws.go":
		return amazonsDisk, false
	case strings.HasPrefix(path, amazon):
		return "", true
	}
	return "", false
}

//go:embed *.mod *.sum
var modules embed.FS

// Flags are the flags of Go that a command in a tree needs beside its own.
const Flags = "-trimpath -buildvcs=false -mod=mod"

// Tree writes the sources of a release to a folder that does not exist, and returns the folder of k8s.io/kubernetes in
// it, in which go build works with Flags as GOFLAGS. It downloads the release where Go has not got it.
func (r *Release) Tree(ctx context.Context, into string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(into), 0o755); err != nil {
		return "", err
	}
	if err := os.Mkdir(into, 0o755); err != nil {
		return "", err
	}
	from, err := r.download(ctx, into)
	if err != nil {
		return "", err
	}
	kubernetes := filepath.Join(into, "kubernetes")
	for _, part := range r.parts {
		if err := r.copied(from, part, kubernetes); err != nil {
			return "", err
		}
	}
	staging, err := os.ReadDir(filepath.Join(from, "staging/src/k8s.io"))
	if err != nil {
		return "", err
	}
	for _, module := range staging {
		under := filepath.Join(from, "staging/src/k8s.io")
		if err := r.copied(under, module.Name(), into); err != nil {
			return "", err
		}
		text := fmt.Sprintf("module k8s.io/%s\n\ngo 1.16\n", module.Name())
		if err := os.WriteFile(filepath.Join(into, module.Name(), "go.mod"), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	for _, end := range []string{"mod", "sum"} {
		text, err := modules.ReadFile("v" + strings.ReplaceAll(r.Version, ".", "_") + "." + end)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(kubernetes, "go."+end), text, 0o644); err != nil {
			return "", err
		}
	}
	return kubernetes, nil
}

// download is the folder in which Go keeps the release. The module of the folder in, and of those above, does not
// matter: it has one of its own.
func (r *Release) download(ctx context.Context, in string) (string, error) {
	if err := os.WriteFile(filepath.Join(in, "go.mod"), []byte("module sources\n"), 0o644); err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "go", "mod", "download", "-json", "k8s.io/kubernetes@v"+r.Patch)
	command.Dir, command.Env = in, append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("k8s.io/kubernetes %s: %w: %s", r.Patch, err, out)
	}
	var module struct{ Dir string }
	return module.Dir, json.Unmarshal(out, &module)
}

// copied copies the files of Go, and those that tests read, of one folder under from to the same folder under into.
func (r *Release) copied(from, part, into string) error {
	return filepath.WalkDir(filepath.Join(from, part), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(into, relative), 0o755)
		}
		if !entry.Type().IsRegular() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		var text []byte
		if r.mend != nil {
			instead, drop := r.mend(filepath.ToSlash(relative))
			if drop {
				return nil
			}
			text = []byte(instead)
		}
		if len(text) == 0 {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		return os.WriteFile(filepath.Join(into, relative), text, 0o644)
	})
}
