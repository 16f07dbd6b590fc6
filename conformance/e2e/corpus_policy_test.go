//go:build e2e

package e2e_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// An API server writes one log by one policy. What it would have written by another follows from the entries of a
// log that has both bodies: kube-apiserver's own evaluation of policies gives the level of each entry, and what that
// level does not have is taken out.
const (
	policyRequest  = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Request}]\n"
	policyMetadata = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"
)

// derive writes the logs of the other policies beside that of the API server.
func (c *corpus) derive() {
	c.Helper()
	c.lower("audit-request.log", policyRequest)
	c.lower("audit-metadata.log", policyMetadata)
	c.lower("audit-gke.log", c.referencePolicy())
}

// referencePolicy is the policy of Kubernetes' own scripts for GCE, by which GKE and EKS log: it is read where the go
// command keeps the source of the release that is tested.
func (c *corpus) referencePolicy() string {
	c.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	c.make(nil, err)
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "cluster/gce/gci/configure-helper.sh"))
	c.make(nil, err)
	_, text, _ := strings.Cut(string(script), "function create-master-audit-policy {")
	_, groups, _ := strings.Cut(text, "local -r known_apis='")
	groups, _, _ = strings.Cut(groups, "'")
	_, text, _ = strings.Cut(text, "cat <<EOF >\"${path}\"\n")
	text, _, found := strings.Cut(text, "\nEOF\n")
	if !found || !strings.Contains(groups, "storage.k8s.io") {
		c.Fatal("the reference policy has moved: configure-helper.sh has none")
	}
	return strings.ReplaceAll(text, "${known_apis}", groups)
}

// ruled is what a policy looks at in an entry.
type ruled struct {
	Level      audit.Level
	Stage      audit.Stage
	Verb       string
	RequestURI string
	User       struct {
		Username string
		Groups   []string
	}
	ObjectRef *struct{ APIGroup, APIVersion, Resource, Subresource, Namespace, Name string }
}

func (a *ruled) attributes() authorizer.Attributes {
	r := authorizer.AttributesRecord{
		User: &user.DefaultInfo{Name: a.User.Username, Groups: a.User.Groups}, Verb: a.Verb, Path: a.RequestURI,
	}
	if o := a.ObjectRef; o != nil {
		r.ResourceRequest, r.APIGroup, r.APIVersion, r.Resource = true, o.APIGroup, o.APIVersion, o.Resource
		r.Subresource, r.Namespace, r.Name = o.Subresource, o.Namespace, o.Name
	}
	return r
}

// lower writes the audit log as another policy has it. No entry gets a body that the log lacks.
func (c *corpus) lower(name, text string) {
	c.Helper()
	rules, err := policy.LoadPolicyFromBytes([]byte(text))
	c.make(nil, err)
	evaluator := policy.NewPolicyRuleEvaluator(rules)
	from, err := os.Open(filepath.Join(c.traces, "audit.log"))
	c.make(nil, err)
	defer func() { _ = from.Close() }()
	to, err := os.Create(filepath.Join(c.traces, name))
	c.make(nil, err)
	out, lines := bufio.NewWriter(to), bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		c.make(nil, err)
		var all map[string]json.RawMessage
		var e ruled
		c.make(nil, json.Unmarshal(line, &all))
		c.make(nil, json.Unmarshal(line, &e))
		level := evaluator.EvaluatePolicyRule(e.attributes()).Level
		if e.Level.Less(level) {
			level = e.Level
		}
		if level == audit.LevelNone {
			continue
		}
		if level.Less(audit.LevelRequestResponse) {
			delete(all, "responseObject")
		}
		if level.Less(audit.LevelRequest) {
			delete(all, "requestObject")
		}
		all["level"] = json.RawMessage(`"` + level + `"`)
		c.make(nil, json.NewEncoder(out).Encode(all))
	}
	c.make(nil, out.Flush())
	c.make(nil, to.Close())
}
