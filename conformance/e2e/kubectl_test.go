//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/schedstep/schedstep/conformance/e2e"
)

// plugged puts schedstep on a PATH of its own as krew would put it there, with the script for completion.
func (r *running) plugged() {
	r.Helper()
	folder := r.file("path")
	r.make(nil, os.Mkdir(folder, 0o700))
	for _, name := range []string{"kubectl", "kubectl-schedstep"} {
		r.make(nil, os.Symlink(filepath.Join(programs(r.T), name), filepath.Join(folder, name)))
	}
	r.Setenv("PATH", folder+":/usr/bin:/bin")
	_, script, _ := r.output("kubectl-completion")
	completes := filepath.Join(folder, "kubectl_complete-schedstep")
	r.make(nil, os.WriteFile(completes, []byte(script), 0o700)) //nolint:gosec // it is run
}

// kubectl runs the real kubectl with a kubeconfig.
func (r *running) kubectl(kubeconfig string, args ...string) (code int, out, told string) {
	r.Helper()
	c := exec.Command(filepath.Join(r.file("path"), "kubectl"), args...)
	c.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	return r.ended(c)
}

// kubeconfig writes the administrator's kubeconfig, changed, to a file of its own.
func (r *running) kubeconfig(name string, change func(*clientcmdapi.Config)) string {
	r.Helper()
	config, err := clientcmd.LoadFromFile(r.plane.Kubeconfig())
	r.make(nil, err)
	change(config)
	file := r.file(name)
	r.make(nil, clientcmd.WriteToFile(*config, file))
	return file
}

// credentials writes an exec credential plugin, which prompts at standard error as those for logins do, and a
// kubeconfig that has it.
func (r *running) credentials(name, script string) string {
	r.Helper()
	plugin := r.file(name + ".sh")
	r.make(nil, os.WriteFile(plugin, []byte("#!/bin/sh\n"+script+"\n"), 0o700)) //nolint:gosec // it is run
	return r.kubeconfig(name, func(c *clientcmdapi.Config) {
		c.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
			APIVersion: "client.authentication.k8s.io/v1", Command: plugin, InteractiveMode: "IfAvailable",
		}}
	})
}

func TestThePluginUnderTheRealKubectl(t *testing.T) {
	r := start(t, 2)
	r.wanted("web-0", "default-scheduler", 100, nil)
	r.wanted("web-1", "default-scheduler", 9000, nil)
	r.plugged()
	explain := []string{"schedstep", "explain", "web-1", "-n", "shop", "-o", "json"}
	code, out, told := r.kubectl(r.plane.Kubeconfig(), explain...)
	var page struct {
		Kind string
		Pod  string
	}
	if err := json.Unmarshal([]byte(out), &page); err != nil || code != 3 || !strings.Contains(out, "Insufficient cpu") {
		t.Errorf("explain: %d %v %s%s", code, err, out, told)
	}
	if code, out, told := r.kubectl(r.plane.Kubeconfig(), "plugin", "list"); code != 0 ||
		!strings.Contains(out, "kubectl-schedstep") || strings.Contains(told, "warning") {
		t.Errorf("plugin list: %d %s%s", code, out, told)
	}
	if _, out, _ := r.kubectl(r.plane.Kubeconfig(), "schedstep", "explain", "--help"); !strings.Contains(
		out, "kubectl schedstep explain POD",
	) {
		t.Errorf("its usage is not that of a plugin:\n%s", out)
	}
	for line, want := range map[string]string{
		"explain -n shop we": "web-0\nweb-1\n:4\n", "explain node/": "node/n00\n", "explain -n sh": "shop\n:4\n",
		"exp": "explain\t", "attach --cont": "--context",
	} {
		args := append([]string{"__complete", "schedstep"}, strings.Fields(line)...)
		var said string // a server that has no time for it offers nothing
		if err := e2e.Await(t.Context(), func(context.Context) (bool, error) {
			code, out, told := r.kubectl(r.plane.Kubeconfig(), args...)
			said = fmt.Sprintf("%d %q %s", code, out, told)
			return code == 0 && strings.HasPrefix(out, want), nil
		}); err != nil {
			t.Errorf("completion of %q: %s, want %q first", line, said, want)
		}
	}
	r.nothingWasWritten()
}

func TestWhichClusterThePluginOfKubectlTakes(t *testing.T) {
	r := start(t, 1)
	r.wanted("web", "default-scheduler", 100, nil)
	r.plugged()
	run := []string{"schedstep", "run", "-n", "shop", "-q"}
	elsewhere := r.kubeconfig("two", func(c *clientcmdapi.Config) {
		c.Clusters["gone"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1"}
		c.Contexts["gone"] = &clientcmdapi.Context{Cluster: "gone", AuthInfo: "admin"}
		c.CurrentContext = "gone"
	})
	login := r.credentials("login", fmt.Sprintf(`echo "visit https://login.example.com" >&2
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "%s"}}'`,
		r.plane.Config().BearerToken))
	for _, c := range []struct {
		name, kubeconfig string
		args             []string
		code             int
		says             string
	}{
		{"another context", elsewhere, []string{"--context", "e2e"}, 0, ""},
		{"a context of a server that is gone", elsewhere, nil, 1, "the cluster gone (https://127.0.0.1:1): it cannot be reached"},
		{"a context that is not there", elsewhere, []string{"--context", "other"}, 1, `context "other" does not exist`},
		{"credentials from a program", login, nil, 0, "visit https://login.example.com"},
		{"credentials from a program that fails", r.credentials("fails", "exit 7"), nil, 1, "exit code 7"},
		{"credentials from a program that is not there", r.kubeconfig("lacks", func(c *clientcmdapi.Config) {
			c.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
				APIVersion: "client.authentication.k8s.io/v1", Command: "no-such-login", InteractiveMode: "Never",
				InstallHint: "get it from example.com",
			}}
		}), nil, 1, "no-such-login"},
		{"no kubeconfig", r.file("nowhere"), nil, 1, "schedstep demo"},
	} {
		code, out, told := r.kubectl(c.kubeconfig, append(run, c.args...)...)
		if code != c.code || !strings.Contains(told, c.says) || (code == 0) != strings.Contains(out, "web") {
			t.Errorf("%s: %d\n%s%s", c.name, code, out, told)
		}
		if code != 0 && strings.Count(told, "\n") != 1 {
			t.Errorf("%s is told in several lines:\n%s", c.name, told)
		}
		t.Logf("%s: %s", c.name, told)
	}
}
