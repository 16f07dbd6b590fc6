package live

import (
	"io"
	"os"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"

	"github.com/schedstep/schedstep/internal/phrase"
)

// login is the program that a kubeconfig names to log in, where a screen is drawn on its terminal later. Client-go runs
// it again when what it brought has expired, or is not accepted any more. Until detach it has the terminal; after that
// it gets no input, and its output is kept. Several goroutines may use it.
type login struct {
	program  *api.ExecConfig
	says     *os.File  // what the program has as its standard error
	terminal io.Writer // standard error of the process, before during takes its place

	mu       sync.Mutex
	detached bool
	said     string // the last line since detach
}

// newLogin takes over the standard error of a configuration's login program; nil: the configuration has none.
func newLogin(config *rest.Config) (*login, error) {
	if config.ExecProvider == nil {
		return nil, nil
	}
	heard, says, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	l := &login{program: config.ExecProvider, says: says, terminal: os.Stderr}
	go l.listen(heard)
	return l, nil
}

// listen goes on for as long as the process: client-go keeps what it runs the program with.
func (l *login) listen(heard io.Reader) {
	for part := make([]byte, 4096); ; {
		n, err := heard.Read(part)
		if err != nil {
			return
		}
		l.mu.Lock()
		if !l.detached {
			_, _ = l.terminal.Write(part[:n])
		} else if lines := strings.Split(strings.TrimSpace(string(part[:n])), "\n"); lines[len(lines)-1] != "" {
			l.said = strings.TrimSpace(lines[len(lines)-1])
			klog.Background().Info("The login program speaks", "says", lines)
		}
		l.mu.Unlock()
	}
}

// during has client-go make its clients so that the program writes to l. Client-go takes the standard error of the
// process at that moment and offers no other way. Nothing else may write there meanwhile.
func (l *login) during(makes func() error) error {
	if l == nil {
		return makes()
	}
	stderr := os.Stderr
	os.Stderr = l.says
	defer func() { os.Stderr = stderr }()
	return makes()
}

// detach takes the terminal away from the program. No request may be under way.
func (l *login) detach() {
	if l == nil {
		return
	}
	l.program.StdinUnavailable = true
	l.program.StdinUnavailableMessage = "schedstep draws on the terminal: quit it, log in, and start it again"
	l.mu.Lock()
	defer l.mu.Unlock()
	l.detached = true
}

// last is the program's last line since detach; "" when there was none.
func (l *login) last() string {
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said
}

// loginFails is the end of a sentence about a login program that has failed.
func (c *Cluster) loginFails(err error) phrase.Phrase {
	if said := c.login.last(); said != "" {
		return phrase.New("the login program fails and says: %s", said)
	}
	return phrase.New("the login program fails: %s", plain(err))
}
