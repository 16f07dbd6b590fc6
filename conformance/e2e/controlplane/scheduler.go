//go:build unix

package controlplane

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Scheduler is a running kube-scheduler. Stop it.
type Scheduler struct {
	child  *process
	client *http.Client
	url    string
}

// surroundings is what a configuration is completed with: where the API server is, no leader election, and one filter
// at a time, because the order in which several find nodes is a matter of chance.
const surroundings = `
clientConnection: {kubeconfig: %q, qps: 5000, burst: 5000}
leaderElection: {leaderElect: false}
parallelism: 1
`

// StartScheduler runs kube-scheduler by a KubeSchedulerConfiguration in YAML without clientConnection, leaderElection
// and parallelism, and comes back when its caches are filled. The name is that of its log; settings are feature
// gates, as "Name=true", and flags, as "--name=value", besides those that it always gets.
func (c *ControlPlane) StartScheduler(
	ctx context.Context, name string, configuration []byte, settings ...string,
) (*Scheduler, error) {
	return c.StartSchedulerOf(ctx, "kube-scheduler", name, configuration, settings...)
}

// StartSchedulerOf is StartScheduler for a program that is kube-scheduler with more plugins registered.
func (c *ControlPlane) StartSchedulerOf(
	ctx context.Context, program, name string, configuration []byte, settings ...string,
) (*Scheduler, error) {
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	kubeconfig := c.path(schedulerKubeconfig)
	configuration = append(slices.Clone(configuration), fmt.Sprintf(surroundings, kubeconfig)...)
	if err := os.WriteFile(c.path(name+".yaml"), configuration, 0o600); err != nil {
		return nil, err
	}
	var flags []string
	// A streamed list arrives in the order of a map (client-go 0.37, reflector); a plain one by name.
	gates := []string{"WatchListClient=false"}
	for _, s := range settings {
		if strings.HasPrefix(s, "--") {
			flags = append(flags, s)
		} else {
			gates = append(gates, s)
		}
	}
	child, err := start(c.path(name+".log"), filepath.Join(c.programs, program), append(flags,
		"--config="+c.path(name+".yaml"), "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[0]),
		"--cert-dir="+c.path("certificates"), "--authentication-kubeconfig="+kubeconfig,
		"--authorization-kubeconfig="+kubeconfig,
		"--authorization-always-allow-paths=/readyz,/metrics", "--v=3",
		"--feature-gates="+strings.Join(gates, ","),
	)...)
	if err != nil {
		return nil, err
	}
	s := &Scheduler{
		child: child, url: fmt.Sprintf("https://127.0.0.1:%d", ports[0]),
		client: &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // its certificate is self-signed, on loopback
		}},
	}
	if err := ready(ctx, s.client, s.url+"/readyz", child); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Stop ends it and waits until it is gone.
func (s *Scheduler) Stop() {
	s.client.CloseIdleConnections()
	s.child.stop(time.Second)
}

// Pause stops it where it is, until Resume.
func (s *Scheduler) Pause() { s.child.signal(syscall.SIGSTOP) }

// Resume has it go on.
func (s *Scheduler) Resume() { s.child.signal(syscall.SIGCONT) }

// Metrics are the values of every time series, by name and labels as Prometheus writes them.
func (s *Scheduler) Metrics(ctx context.Context) (map[string]float64, error) {
	if err := s.child.ended(); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("kube-scheduler's metrics: %s", answer.Status)
	}
	values := map[string]float64{}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || line[0] == '#' {
			continue
		}
		if value, err := strconv.ParseFloat(line[at+1:], 64); err == nil {
			values[line[:at]] = value
		}
	}
	return values, lines.Err()
}
