package cmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dumped is a cluster with a kubelet of each version, and the version that its API server reports where that is known.
func dumped(t *testing.T, server string, kubelets ...string) string {
	t.Helper()
	folder := t.TempDir()
	var items []string
	for i, version := range kubelets {
		items = append(items, fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n%d","uid":"u%d"},
"status":{"allocatable":{"cpu":"4","pods":"9"},"nodeInfo":{"kubeletVersion":%q},
"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-01-01T00:00:00Z"}]}}`, i, i, version))
	}
	items = append(items, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default","uid":"p"},
"spec":{"containers":[{"name":"c","image":"x","resources":{"requests":{"cpu":"3"}}}]}}`)
	files := map[string]string{"all.json": `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(items, ",") + `]}`}
	if server != "" {
		files["version.json"] = server
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestADumpIsPlayedByItsOwnRelease(t *testing.T) {
	const kubectl = `{"clientVersion":{"major":"1","minor":"37","gitVersion":"v1.37.0"},
"serverVersion":{"major":"1","minor":"36","gitVersion":"v1.36.2-gke.4"}}`
	for _, test := range []struct {
		server   string
		kubelets []string
		args     []string
		note     string
	}{
		{
			"",
			[]string{"v1.34.9", "v1.35.2"},
			nil,
			"the input is of Kubernetes 1.35 (its nodes say so), so the scheduler of 1.35.4",
		},
		{
			kubectl,
			[]string{"v1.35.2"},
			nil,
			"of Kubernetes 1.36 (its API server says v1.36.2-gke.4), so the scheduler of 1.36.3",
		},
		{
			strings.Replace(kubectl, "v1.36.2", "v1.36.1", 1),
			[]string{"v1.35.2"},
			nil,
			"of Kubernetes 1.36.1 (its API server says v1.36.1-gke.4), so the scheduler of 1.36.1",
		},
		{
			`{"info":{"major":"1","minor":"23","gitVersion":"v1.23.5"},"string":"v1.23.5"}`,
			[]string{"v1.23.5"},
			nil,
			"the input is of Kubernetes 1.23; the nearest scheduler in this build is that of ",
		},
		{`{"major":"1","minor":"35","gitVersion":"v1.35.0"}`, []string{"v1.37.1"}, nil, "its API server says v1.35.0"},
		{kubectl, []string{"v1.35.2"}, []string{"--kube-version", "1.37"}, ""},
		{"", []string{"v1.37.1"}, nil, ""},
	} {
		got := program(t, append([]string{"run", dumped(t, test.server, test.kubelets...)}, test.args...)...)
		if !strings.Contains(got.err, test.note) || test.note == "" && strings.Contains(got.err, "the input is of") {
			t.Errorf("%s %v %v: %s", test.server, test.kubelets, test.args, got.err)
		}
		if !strings.Contains(got.out, "default/web  Scheduled") {
			t.Errorf("%s: %s", test.server, got.out)
		}
	}
}
