package live

import (
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/schedstep/schedstep/internal/phrase"
)

// later is which requests have failed and are sent again: the server answered with a fault and with Retry-After, or the
// connection broke. Client-go waits and tries again, ten times, and reports nothing meanwhile. The zero value is that
// of a server that answers. Several goroutines may use it.
type later struct {
	mu  sync.Mutex
	off map[string]putOff // by path
}

// putOff is how a request failed that may be under way again.
type putOff struct {
	since time.Time
	code  int   // of its last answer
	err   error // why there was no answer; nil: there was one
}

// heard records the answer to a request, or why there was none.
func (l *later) heard(path string, answer *http.Response, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := putOff{since: time.Now(), err: err}
	if answer != nil {
		now.code = answer.StatusCode
		if answer.Header.Get("Retry-After") == "" ||
			now.code != http.StatusTooManyRequests && now.code < http.StatusInternalServerError {
			delete(l.off, path)
			return
		}
	}
	if l.off == nil {
		l.off = map[string]putOff{}
	}
	if was, known := l.off[path]; known {
		now.since = was.since
	}
	l.off[path] = now
}

// of is how requests to a path fail.
func (l *later) of(path string) (put putOff, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	put, is = l.off[path]
	return put, is
}

// worst is what has failed for the longest time.
func (l *later) worst() (worst putOff, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.off {
		if !is || p.since.Before(worst.since) || p.since.Equal(worst.since) && p.code < worst.code {
			worst, is = p, true
		}
	}
	return worst, is
}

// fault is the status line's text for a request that failed and is under way again.
func (c *Cluster) fault(p putOff) Fault {
	if p.err != nil {
		return Fault{p.since, c.reason(p.err)}
	}
	return Fault{p.since, phrase.New("it answers %d %s and asks to be asked later", p.code, http.StatusText(p.code))}
}

// pathOf is the path where a server lists its resources of a version; the objects of a resource are listed below it.
func pathOf(version schema.GroupVersion) string {
	if version.Group == "" {
		return "/api/" + version.Version
	}
	return "/apis/" + version.Group + "/" + version.Version
}
