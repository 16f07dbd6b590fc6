package importer_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/replay/source/importer"
)

// endless repeats a text for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[e.at%len(e.text)]
		e.at++
	}
	return len(p), nil
}

// packed is the beginning of a text without end, in an archive.
func packed(t *testing.T, text string, most int64) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.CopyN(w, &endless{text: text}, most); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestInputWithoutEndIsReadAsFarAsItMayBe(t *testing.T) {
	const most, more = 1 << 20, 3 << 20
	node := `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}}` + "\n"
	sparse := filepath.Join(t.TempDir(), "sparse.yaml")
	if err := os.WriteFile(sparse, []byte(strings.Repeat(nodeA+"---\n", 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 1<<40); err != nil {
		t.Fatal(err)
	}
	for what, in := range map[string]io.Reader{
		"YAML": &endless{text: nodeA + "---\n"}, "JSON": &endless{text: node}, "a text in quotes": &endless{text: `{"a`},
		"packed YAML": bytes.NewReader(packed(t, nodeA+"---\n", more)),
		"packed JSON": bytes.NewReader(packed(t, node, more)),
		"UTF-16": io.MultiReader(
			strings.NewReader("\xff\xfe"), &endless{text: "{\x00\"\x00a\x00\"\x00:\x001\x00}\x00"},
		),
		"a sparse file": nil,
	} {
		path, streams := "-", map[string]io.Reader{"-": in}
		if in == nil {
			path, streams = sparse, nil
		}
		dump, err := importer.Read(t.Context(), []string{path}, importer.Options{Streams: streams, Most: most})
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Join(told(dump), "\n")
		if n := strings.Count(told, "the input is larger than 1Mi when it is unpacked (--max-input allows more)"); n != 1 {
			t.Errorf("%s: the limit is told %d times, in\n%s", what, n, told)
		}
	}
}

func TestListsInListsEndAtADepth(t *testing.T) {
	const deep = 10_000
	text := strings.Repeat(`{"kind":"List","apiVersion":"v1","items":[`, deep) + podA + strings.Repeat("]}", deep)
	want := []string{
		"refused: standard input item 1: lists lie in each other more than 4 deep; what is below is left out",
	}
	if diff := cmp.Diff(want, foundIn(t, text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSpecialFilesInAnArchiveAreCounted(t *testing.T) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, head := range []tar.Header{
		{Name: "n.yaml", Typeflag: tar.TypeReg, Size: int64(len(nodeA)), Mode: 0o600},
		{Name: "d", Typeflag: tar.TypeDir},
		{Name: "pipe", Typeflag: tar.TypeFifo},
		{Name: "null", Typeflag: tar.TypeChar},
		{Name: "m.yaml", Typeflag: tar.TypeSymlink, Linkname: "n.yaml"},
	} {
		if err := w.WriteHeader(&head); err != nil {
			t.Fatal(err)
		}
		if head.Size > 0 {
			if _, err := io.WriteString(w, nodeA); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a", "left: 2 special file: it is a pipe, a socket or a device",
		"left: 1 link in an archive: links are not followed",
	}
	if diff := cmp.Diff(want, foundIn(t, out.String())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
