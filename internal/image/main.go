// Command image makes the image of schedstep with ko: for amd64 and arm64, as no root, with a list of what is in it
// (SPDX), as a folder in the layout of OCI. It needs no Docker. ko takes its base from a registry; without -base this
// program is that registry, on loopback, and the base is empty. It pushes nothing.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	ko         = "github.com/google/ko@v0.19.1"
	indexType  = "application/vnd.oci.image.index.v1+json"
	oneType    = "application/vnd.oci.image.manifest.v1+json"
	configType = "application/vnd.oci.image.config.v1+json"
)

// architectures are those of the image.
var architectures = []string{"amd64", "arm64"}

// blob is some text that a registry has, by its digest.
type blob struct {
	kind string
	text []byte
}

func (b blob) digest() string {
	sum := sha256.Sum256(b.text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// descriptor is how a manifest names another blob.
func (b blob) descriptor() map[string]any {
	return map[string]any{"mediaType": b.kind, "digest": b.digest(), "size": len(b.text)}
}

func newBlob(kind string, content any) blob {
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // maps of texts and numbers
	}
	return blob{kind, text}
}

// base is a registry with one image of nothing at all, for each architecture. Keys are the ends of addresses.
func base() map[string]blob {
	all := map[string]blob{}
	var manifests []map[string]any
	for _, arch := range architectures {
		config := newBlob(configType, map[string]any{
			"architecture": arch, "os": "linux", "config": map[string]any{},
			"rootfs": map[string]any{"type": "layers", "diff_ids": []string{}},
		})
		manifest := newBlob(oneType, map[string]any{
			"schemaVersion": 2, "mediaType": oneType, "config": config.descriptor(), "layers": []any{},
		})
		named := manifest.descriptor()
		named["platform"] = map[string]string{"architecture": arch, "os": "linux"}
		manifests = append(manifests, named)
		all["blobs/"+config.digest()], all["manifests/"+manifest.digest()] = config, manifest
	}
	index := newBlob(indexType, map[string]any{"schemaVersion": 2, "mediaType": indexType, "manifests": manifests})
	all["manifests/latest"], all["manifests/"+index.digest()] = index, index
	return all
}

// registry answers as one of Docker's protocol does, for reading.
func registry(of map[string]blob) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		folder, name := path.Split(r.URL.Path)
		b, there := of[path.Join(path.Base(folder), name)]
		switch {
		case r.URL.Path == "/v2/":
			return
		case !there:
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", b.kind)
		w.Header().Set("Docker-Content-Digest", b.digest())
		w.Header().Set("Content-Length", strconv.Itoa(len(b.text)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(b.text) // ko sees what is missing
		}
	})
}

func main() {
	out := flag.String("o", "dist/image", "the `folder` that the image and its list go to")
	from := flag.String("base", "", "the `image` that it is put on; without it none")
	flag.Parse()
	if err := run(*out, *from); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// answerTime is how long a request to the registry of this program may take.
const answerTime = 10 * time.Second

func run(out, from string) error {
	if from == "" {
		at, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer func() { _ = at.Close() }()
		server := &http.Server{Handler: registry(base()), ReadHeaderTimeout: answerTime}
		go func() { _ = server.Serve(at) }() // ends with at
		from = at.Addr().String() + "/empty:latest"
	}
	lists := filepath.Join(out, "sbom")
	if err := os.MkdirAll(lists, 0o755); err != nil {
		return err
	}
	var platforms []string
	for _, arch := range architectures {
		platforms = append(platforms, "linux/"+arch)
	}
	c := exec.Command("go", "run", ko, "build", "./cmd/schedstep", "--push=false", "--bare",
		"--platform="+strings.Join(platforms, ","), "--image-user=65532:65532",
		"--oci-layout-path="+filepath.Join(out, "oci"), "--sbom=spdx", "--sbom-dir="+lists, "--ldflags=-s -w")
	c.Env = append(os.Environ(), "KO_DOCKER_REPO=schedstep", "KO_DEFAULTBASEIMAGE="+from, "CGO_ENABLED=0")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}
