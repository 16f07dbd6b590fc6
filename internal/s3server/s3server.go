// Package s3server answers over HTTP as an object store that speaks S3 does, from memory, so that tests of
// internal/bucket and of the commands above it use the real client. It knows no credentials and no rights.
package s3server

import (
	"net/http/httptest"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// New is a store with empty buckets, which the programs of the test find by their variables. It ends with the test.
func New(t *testing.T, buckets ...string) *s3mem.Backend {
	t.Helper()
	memory := s3mem.New()
	for _, name := range buckets {
		if err := memory.CreateBucket(name); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(gofakes3.New(memory).Server())
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
		"AWS_ENDPOINT_URL_S3": server.URL,
	} {
		t.Setenv(name, value)
	}
	return memory
}
