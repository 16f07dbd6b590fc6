//go:build unix

package controlplane

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// ControllerManager is a running kube-controller-manager. Stop it.
type ControllerManager struct{ child *process }

// controllers are those that decide which pods there are, and what becomes of nodes, budgets, claims and quotas.
// Without a cloud, certificates, networks and service accounts nothing is left for the others.
var controllers = []string{
	"deployment-controller", "replicaset-controller", "replicationcontroller-controller", "statefulset-controller",
	"daemonset-controller", "job-controller", "cronjob-controller", "disruption-controller",
	"garbage-collector-controller",
	"namespace-controller", "taint-eviction-controller", "node-lifecycle-controller", "pod-garbage-collector-controller",
	"resourcequota-controller", "persistentvolume-binder-controller", "persistentvolume-protection-controller",
	"persistentvolumeclaim-protection-controller", "ephemeral-volume-controller", "resourceclaim-controller",
	"ttl-after-finished-controller",
}

// StartControllerManager runs kube-controller-manager with the controllers of workloads, nodes, budgets, claims and
// quotas, and comes back when it is healthy.
func (c *ControlPlane) StartControllerManager(ctx context.Context) (*ControllerManager, error) {
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	kubeconfig := c.path("kubeconfig")
	child, err := start(c.path("kube-controller-manager.log"), filepath.Join(c.programs, "kube-controller-manager"),
		"--kubeconfig="+kubeconfig, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[0]), "--cert-dir="+c.path("certificates"),
		"--leader-elect=false", "--controllers="+strings.Join(controllers, ","), "--kube-api-qps=500", "--kube-api-burst=500",
	)
	if err != nil {
		return nil, err
	}
	m := &ControllerManager{child}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // its certificate is self-signed, on loopback
	}}
	defer client.CloseIdleConnections()
	if err := ready(ctx, client, fmt.Sprintf("https://127.0.0.1:%d/healthz", ports[0]), child); err != nil {
		m.Stop()
		return nil, err
	}
	return m, nil
}

// Stop ends it and waits until it is gone.
func (m *ControllerManager) Stop() { m.child.stop(time.Second) }
