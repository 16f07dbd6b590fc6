// Package bucket has the files of an object store that speaks S3: which there are below a name, and copies of them from
// and to a disk. Its address comes from the variables that other programs read too (AWS_ENDPOINT_URL_S3, AWS_REGION,
// AWS_ACCESS_KEY_ID and their like). It knows nothing of what is in a file, and deletes none.
package bucket

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
)

// scheme is what the name of an object begins with.
const scheme = "s3://"

// Is reports whether a text is the name of an object, or of several.
func Is(text string) bool { return strings.HasPrefix(text, scheme) }

// Name is where an object is, or what the names of several begin with.
type Name struct{ Bucket, Key string }

// Parse reads s3://BUCKET/KEY.
func Parse(text string) (Name, error) {
	of, key, _ := strings.Cut(strings.TrimPrefix(text, scheme), "/")
	key = strings.TrimSuffix(key, "/")
	if !Is(text) || of == "" {
		return Name{}, phrase.Errorf("%q is no name of an object: it is s3://BUCKET/KEY", text)
	}
	if key != "" && path.Clean("/"+key) != "/"+key {
		return Name{}, phrase.Errorf("%q has a part that is empty, or dots", text)
	}
	return Name{of, key}, nil
}

// String is the name as Parse reads it.
func (n Name) String() string { return strings.TrimSuffix(scheme+n.Bucket+"/"+n.Key, "/") }

// Below is the name of an object below this one.
func (n Name) Below(relative string) Name { return Name{n.Bucket, path.Join(n.Key, relative)} }

// Store is an object store.
type Store struct{ client *minio.Client }

// How often a request is made that fails in a way that may pass, and how long credentials of a machine may take.
const (
	mostTries      = 4
	credentialTime = 3 * time.Second
)

// Open finds out where the store is, and with which credentials. No request is made yet.
func Open(env func(string) string) (*Store, error) {
	address := cmp.Or(env("AWS_ENDPOINT_URL_S3"), env("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || strings.Trim(at.Path, "/") != "" {
		return nil, phrase.Errorf("AWS_ENDPOINT_URL is %q: it is https://HOST or http://HOST:PORT", address)
	}
	found := credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
		&credentials.IAM{Client: &http.Client{Timeout: credentialTime}},
	})
	client, err := minio.New(at.Host, &minio.Options{
		Creds: found, Secure: at.Scheme == "https", Region: cmp.Or(env("AWS_REGION"), env("AWS_DEFAULT_REGION")),
		MaxRetries: mostTries,
	})
	if err != nil {
		return nil, phrase.Errorf("AWS_ENDPOINT_URL is %q: %w", address, err)
	}
	return &Store{client}, nil
}

// List is the keys below a name, relative to it, in their order. "" is the object of that name itself. A key that is no
// path of a file below a folder is an error.
func (s *Store) List(ctx context.Context, n Name) ([]string, error) {
	var all []string
	for o := range s.client.ListObjects(ctx, n.Bucket, minio.ListObjectsOptions{Prefix: n.Key, Recursive: true}) {
		if o.Err != nil {
			return nil, n.sentence(o.Err)
		}
		relative := strings.TrimPrefix(o.Key, n.Key)
		switch {
		case strings.HasSuffix(relative, "/"): // as programs mark a folder
			continue
		case n.Key != "" && relative != "" && !strings.HasPrefix(relative, "/"):
			continue
		case n.Key != "":
			relative = strings.TrimPrefix(relative, "/")
		}
		if path.Clean("/"+relative) != "/"+relative { // as a file it would be another one, or lie elsewhere
			return nil, phrase.Errorf("%q has a part that is empty, or dots", scheme+n.Bucket+"/"+o.Key)
		}
		all = append(all, relative)
	}
	slices.Sort(all)
	return all, nil
}

// Fetch copies an object to a file.
func (s *Store) Fetch(ctx context.Context, n Name, file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return phrase.Errorf("%s: %w", file, disk.Bare(err))
	}
	if err := s.client.FGetObject(ctx, n.Bucket, n.Key, file, minio.GetObjectOptions{}); err != nil {
		return n.sentence(err)
	}
	return nil
}

// Put copies a file to an object.
func (s *Store) Put(ctx context.Context, n Name, file string) error {
	if _, err := s.client.FPutObject(ctx, n.Bucket, n.Key, file, minio.PutObjectOptions{}); err != nil {
		return n.sentence(err)
	}
	return nil
}

// ErrMissing is that there is no object of a name.
var ErrMissing = phrase.Errorf("there is no such object")

// sentence is an error of the store in words.
func (n Name) sentence(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	switch minio.ToErrorResponse(err).Code {
	case "NoSuchBucket":
		return phrase.Errorf("%s: there is no bucket %s", n, n.Bucket)
	case "NoSuchKey":
		return phrase.Errorf("%s: %w", n, ErrMissing)
	case "AccessDenied":
		return phrase.Errorf("%s: access is denied", n)
	case "InvalidAccessKeyId", "SignatureDoesNotMatch":
		return phrase.Errorf("%s: the store does not accept the credentials (AWS_ACCESS_KEY_ID)", n)
	}
	return phrase.Errorf("%s: %w", n, err)
}
