package bucket_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/bucket"
	"github.com/schedstep/schedstep/internal/s3server"
)

// opened is a store with one bucket, which lives as long as the test. What it has are empty objects.
func opened(t *testing.T, keys ...string) *bucket.Store {
	t.Helper()
	memory := s3server.New(t, "runs")
	for _, key := range keys {
		if _, err := memory.PutObject("runs", key, nil, strings.NewReader(""), 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	s, err := bucket.Open(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func named(t *testing.T, text string) bucket.Name {
	t.Helper()
	n, err := bucket.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFilesComeBackAsTheyWent(t *testing.T) {
	s, ctx := opened(t), context.Background()
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"s3://runs/out/1/a", "s3://runs/out/0/a", "s3://runs/out", "s3://runs/outer/b"} {
		if err := s.Put(ctx, named(t, name), file); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.List(ctx, named(t, "s3://runs/out/")); err != nil || !slices.Equal(got, []string{"", "0/a", "1/a"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := s.List(ctx, named(t, "s3://runs")); err != nil || len(got) != 4 {
		t.Errorf("%q, %v", got, err)
	}
	back := filepath.Join(t.TempDir(), "deep", "b")
	if err := s.Fetch(ctx, named(t, "s3://runs/out").Below("1/a"), back); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(back); string(text) != "text" {
		t.Errorf("%q", text)
	}
}

// TestAKeyThatIsNoPathIsRefused lists keys that as files would lie elsewhere.
func TestAKeyThatIsNoPathIsRefused(t *testing.T) {
	for key, want := range map[string]string{
		"out/../../a": `"s3://runs/out/../../a" has a part that is empty, or dots`,
		"out/a//b":    `"s3://runs/out/a//b" has a part that is empty, or dots`,
		"out/./b":     `"s3://runs/out/./b" has a part that is empty, or dots`,
	} {
		s := opened(t, key, "out/fine", "out/folder/")
		for _, name := range []string{"s3://runs/out", "s3://runs"} {
			if got, err := s.List(t.Context(), named(t, name)); err == nil || err.Error() != want {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
	s := opened(t, "out/fine", "out/folder/")
	if got, err := s.List(t.Context(), named(t, "s3://runs")); err != nil || !slices.Equal(got, []string{"out/fine"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatAStoreRefusesIsASentence(t *testing.T) {
	s, ctx := opened(t), context.Background()
	to := filepath.Join(t.TempDir(), "x")
	err := s.Fetch(ctx, named(t, "s3://runs/nix"), to)
	if err == nil || err.Error() != "s3://runs/nix: there is no such object" || !errors.Is(err, bucket.ErrMissing) {
		t.Errorf("%v", err)
	}
	if _, err := s.List(ctx, named(t, "s3://nix/a")); err == nil || errors.Is(err, bucket.ErrMissing) ||
		err.Error() != "s3://nix/a: there is no bucket nix" {
		t.Errorf("%v", err)
	}
}

func TestNamesOfObjects(t *testing.T) {
	for text, want := range map[string]string{
		"s3://b/a/c/": "s3://b/a/c", "s3://b": "s3://b", "s3://b/": "s3://b", "s3://": "no name of an object",
		"b/a": "no name of an object", "s3://b/a//c": "has a part that is empty", "s3://b/../c": "or dots",
		"s3://b//c": "has a part that is empty",
	} {
		n, err := bucket.Parse(text)
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && n.String() != want {
			t.Errorf("%s: %s, %v", text, n, err)
		}
	}
	for _, address := range []string{"localhost:9000", "ftp://x", "https://x/path"} {
		env := func(string) string { return address }
		if _, err := bucket.Open(env); err == nil || !strings.Contains(err.Error(), "it is https://HOST") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
