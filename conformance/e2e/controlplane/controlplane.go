//go:build unix

// Package controlplane runs etcd, kube-apiserver and, where they are wanted, kube-scheduler and kube-controller-manager
// as child processes on loopback, with free ports and everything they write in one folder. It builds no program and
// knows nothing of what is scheduled. There is no kubelet: what one would do, the caller does.
package controlplane

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
)

// ControlPlane is an API server with its etcd. Close it.
type ControlPlane struct {
	programs string // the folder of the programs
	folder   string // what they write
	port     int
	store    string // where etcd is
	token    string
	flags    []string // of the API server, besides its own
	children []*process
}

// How long a program may take until it is ready, on a machine that is busy with other work, and the time between two
// polls.
const (
	startTime = 10 * time.Minute
	pollTime  = 20 * time.Millisecond
)

// Start runs etcd and kube-apiserver from a folder of programs and comes back when the API server is ready. flags are
// for the API server, besides those that it always gets.
func Start(ctx context.Context, programs, folder string, flags ...string) (*ControlPlane, error) {
	c := &ControlPlane{programs: programs, folder: folder, token: secret(), flags: flags}
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	c.port = ports[2]
	if err := c.writeCredentials(); err != nil {
		return nil, err
	}
	if err := c.start(ctx, ports); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close ends everything.
func (c *ControlPlane) Close() {
	for i := len(c.children) - 1; i >= 0; i-- {
		c.children[i].stop(0)
	}
	c.children = nil
}

// Kubeconfig is a file with the address and credentials of the API server's administrator.
func (c *ControlPlane) Kubeconfig() string { return c.path("kubeconfig") }

// AuditLog is the file in which the API server writes down every request that has ended, a JSON object on each line.
func (c *ControlPlane) AuditLog() string { return c.path("audit.log") }

// Config is how to reach the API server, as its administrator and as fast as it can.
func (c *ControlPlane) Config() *rest.Config {
	return &rest.Config{
		Host: fmt.Sprintf("https://127.0.0.1:%d", c.port), BearerToken: c.token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
	}
}

// The ends of the tokens of other users than the administrator. All of them may do anything; an audit log shows which
// of them sent a request.
const (
	asScheduler = "-scheduler"
	asKubelet   = "-kubelet"

	schedulerKubeconfig = "scheduler.kubeconfig"
)

// KubeletConfig is that of a client that the API server takes for kubelets.
func (c *ControlPlane) KubeletConfig() *rest.Config {
	config := c.Config()
	config.BearerToken += asKubelet
	return config
}

func (c *ControlPlane) start(ctx context.Context, ports []int) error {
	client, peer := local(ports[0]), local(ports[1])
	c.store = client
	if err := c.run("etcd",
		"--data-dir="+c.path("etcd"), "--unsafe-no-fsync",
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=default="+peer,
	); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}

// Compact has etcd drop every revision before one, as an API server does each five minutes: a watch from an older
// revision gets the error that it is gone, and its client must list again.
func (c *ControlPlane) Compact(ctx context.Context, revision string) error {
	body := fmt.Sprintf(`{"revision": %q, "physical": true}`, revision)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.store+"/v3/kv/compaction", strings.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(answer.Body)
		return fmt.Errorf("etcd does not compact to revision %s: %s %s", revision, answer.Status, said)
	}
	return nil
}

// StopAPIServer kills the API server. etcd goes on.
func (c *ControlPlane) StopAPIServer() {
	last := len(c.children) - 1
	c.children[last].stop(0)
	c.children = c.children[:last]
}

// StartAPIServer runs the API server, on the same port each time, and comes back when it is ready.
func (c *ControlPlane) StartAPIServer(ctx context.Context) error {
	// Nodes come without a kubelet, so nothing would take away the taint of new nodes that TaintNodesByCondition adds.
	flags := append([]string{
		"--etcd-servers=" + c.store, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.port),
		"--cert-dir=" + c.path("certificates"), "--token-auth-file=" + c.path("tokens.csv"), "--authorization-mode=RBAC",
		"--service-account-issuer=https://localhost", "--service-account-key-file=" + c.path("accounts.key"),
		"--service-account-signing-key-file=" + c.path("accounts.key"), "--service-cluster-ip-range=10.96.0.0/16",
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition", "--allow-privileged=true",
		"--audit-policy-file=" + c.path("audit.yaml"), "--audit-log-path=" + c.path("audit.log"),
	}, c.flags...)
	if err := c.run("kube-apiserver", flags...); err != nil {
		return err
	}
	transport, err := rest.HTTPClientFor(c.Config())
	if err != nil {
		return err
	}
	return ready(ctx, transport, c.Config().Host+"/readyz", c.children...)
}

func (c *ControlPlane) run(name string, args ...string) error {
	p, err := start(c.path(name+".log"), filepath.Join(c.programs, name), args...)
	if err == nil {
		c.children = append(c.children, p)
	}
	return err
}

func (c *ControlPlane) path(name string) string { return filepath.Join(c.folder, name) }

// writeCredentials writes the administrator's token, the key of service accounts, and a kubeconfig.
func (c *ControlPlane) writeCredentials() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	kubeconfig := func(token string) []byte {
		return fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: e2e
clusters: [{name: e2e, cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: %s}}]
contexts: [{name: e2e, context: {cluster: e2e, user: admin}}]
`, c.port, token)
	}
	for name, content := range map[string][]byte{
		"tokens.csv": fmt.Appendf(nil, "%[1]s,admin,admin,system:masters\n"+
			"%[1]s%[2]s,system:kube-scheduler,scheduler,system:masters\n"+
			"%[1]s%[3]s,system:node:all,kubelets,\"system:nodes,system:masters\"\n", c.token, asScheduler, asKubelet),
		"accounts.key":      pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		"kubeconfig":        kubeconfig(c.token),
		schedulerKubeconfig: kubeconfig(c.token + asScheduler),
		"audit.yaml":        []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"),
	} {
		if err := os.WriteFile(c.path(name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// ready polls until the answer is 200; it stops when a child ends, or time is up.
func ready(ctx context.Context, client *http.Client, url string, children ...*process) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	last := error(nil)
	for {
		for _, child := range children {
			if err := child.ended(); err != nil {
				return err
			}
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(request)
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("it answers %s", answer.Status)
		}
		if ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w", url, errors.Join(ctx.Err(), last))
		case <-time.After(pollTime):
		}
	}
}

func local(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }

// Ports are looked for in a range from which no system takes the port of a connection that it makes: while an API
// server is down, its own clients try to connect again and again, and one of them might be given its port.
const (
	firstPort = 12000
	morePorts = 18000
)

// freePorts are ports that were free a moment ago. Two processes begin to look at different places, as a rule.
func freePorts(n int) ([]int, error) {
	var ports []int
	last := error(nil)
	for i := 0; len(ports) < n && i < morePorts; i++ {
		port := firstPort + (os.Getpid()*64+int(portsTaken.Add(1)))%morePorts
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			last = err
			continue
		}
		defer func() { _ = l.Close() }()
		ports = append(ports, port)
	}
	if len(ports) < n {
		return nil, fmt.Errorf("no port is free: %w", last)
	}
	return ports, nil
}

// portsTaken is how many ports this process has tried.
var portsTaken atomic.Int64

func secret() string {
	b := make([]byte, 16)
	rand.Read(b) //nolint:errcheck // it never fails
	return hex.EncodeToString(b)
}
