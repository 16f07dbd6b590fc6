package request

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Kubectl is the command that sends the request, in one line of a POSIX shell; a remark is a comment of one.
func (r Request) Kubectl() string {
	switch r.do {
	case cordon:
		return "kubectl cordon " + r.On.Name
	case uncordon:
		return "kubectl uncordon " + r.On.Name
	case untaint:
		return "kubectl taint nodes " + r.On.Name + " " + r.key + "-"
	case label:
		return r.about("label") + " " + r.key + "=" + r.value + " --overwrite"
	case annotate:
		return r.about("annotate") + " " + r.key + "=" + r.value + " --overwrite"
	case unlabel:
		return r.about("label") + " " + r.key + "-"
	case patch:
		return r.about("patch") + " --type=json -p " + quoted(text(r.operations))
	case resize:
		return r.about("patch") + " --subresource=resize --type=json -p " + quoted(text(r.operations))
	case remake:
		return fmt.Sprintf("kubectl get pod %s -n %s -o json | kubectl patch --local -f - --type=json -p %s -o json | "+
			"kubectl replace --force -f -", r.On.Name, r.On.Namespace, quoted(text(r.operations)))
	case evict:
		return evictionOf(r.On.Namespace, r.On.Name)
	case remove: // a controller may have been quicker: a StatefulSet that is Parallel deletes such pods itself
		return r.about("delete") + " --ignore-not-found"
	case await:
		return fmt.Sprintf("%s --for=jsonpath='{.status.disruptionsAllowed}'=%d --timeout=1m", r.about("wait"), r.replicas)
	case scale:
		return fmt.Sprintf("%s --replicas=%d", r.about("scale"), r.replicas)
	}
	return "# " + r.remark.String()
}

// Command is Kubectl, of which the remark can be rendered in a language.
func (r Request) Command() phrase.Text {
	if r.do == nothing {
		return phrase.Textf("# %s", r.remark)
	}
	return phrase.Verbatim(r.Kubectl())
}

// Comment is what a remark says; "" of a request.
func (r Request) Comment() phrase.Text { return r.remark }

// about is the command with the object it is about.
func (r Request) about(verb string) string {
	resource := strings.ToLower(string(r.On.Kind))
	if r.On.Kind == cluster.KindNode {
		resource = "nodes"
	}
	command := "kubectl " + verb + " " + resource + " " + r.On.Name
	if r.On.Namespace != "" {
		command += " -n " + r.On.Namespace
	}
	return command
}

// evictionOf is the command that evicts a pod: kubectl has no verb for the eviction of one pod.
func evictionOf(namespace, name string) string {
	return fmt.Sprintf(
		`echo '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"%[2]s","namespace":"%[1]s"}}' | `+
			"kubectl create --raw /api/v1/namespaces/%[1]s/pods/%[2]s/eviction -f -", namespace, name,
	)
}

// Operations are those of a patch, in JSON.
func (r Request) Operations() string { return text(r.operations) }

// quoted is a text as one word of a POSIX shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func text(operations []Operation) string {
	b, err := json.Marshal(operations)
	if err != nil {
		panic(fmt.Sprintf("a patch cannot be written: %v", err))
	}
	return string(b)
}

// Pointer writes a key as a part of a JSON pointer.
func Pointer(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }
