package live

import (
	"io"
	"sync"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// logged takes the lines of klog, which client-go writes to, and which would land on the screen. There is one for the
// process, as there is one klog. Several goroutines may use it.
type logged struct {
	mu sync.Mutex
	to io.Writer // nil: they are dropped
}

// Write passes a line on. It returns no error when the line cannot be written, because the logger could do nothing.
func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to != nil {
		_, _ = l.to.Write(line)
	}
	return len(line), nil
}

var clientLog logged

// takeKlog has klog write there. Once for all clusters: klog is not locked while its logger is set, and those that are
// followed already log.
var takeKlog = sync.OnceFunc(func() {
	klog.SetLogger(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&clientLog))))
})

// logTo sets where the lines go from now on.
func logTo(to io.Writer) {
	takeKlog()
	clientLog.mu.Lock()
	defer clientLog.mu.Unlock()
	clientLog.to = to
}
