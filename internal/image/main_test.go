package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// descriptors are the parts of a manifest that name other blobs.
type descriptors struct {
	Manifests []named `json:"manifests"`
	Config    named   `json:"config"`
}

type named struct {
	MediaType string `json:"mediaType"`
	Digest    string `json:"digest"`
	Size      int    `json:"size"`
	Platform  struct {
		Architecture string `json:"architecture"`
	} `json:"platform"`
}

func TestTheEmptyBaseHasWhatItNames(t *testing.T) {
	server := httptest.NewServer(registry(base()))
	defer server.Close()
	get := func(name string) ([]byte, http.Header) {
		answer, err := http.Get(server.URL + "/v2/empty/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", name, answer.StatusCode, err)
		}
		return text, answer.Header
	}
	text, _ := get("manifests/latest")
	var index descriptors
	if err := json.Unmarshal(text, &index); err != nil || len(index.Manifests) != len(architectures) {
		t.Fatalf("%v in %s", err, text)
	}
	for i, m := range index.Manifests {
		text, head := get("manifests/" + m.Digest)
		one := blob{text: text}
		if one.digest() != m.Digest || len(text) != m.Size || head.Get("Content-Type") != m.MediaType ||
			m.Platform.Architecture != architectures[i] {
			t.Errorf("%+v is not %s", m, text)
		}
		var manifest descriptors
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatal(err)
		}
		if config, _ := get("blobs/" + manifest.Config.Digest); len(config) != manifest.Config.Size {
			t.Errorf("%s", config)
		}
	}
	if answer, err := http.Get(server.URL + "/v2/empty/manifests/other"); err != nil || answer.StatusCode != 404 {
		t.Errorf("%v", err)
	}
}
