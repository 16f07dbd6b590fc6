package reduce

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// Heading is what stands before the events of a scenario.
type Heading struct {
	Shows   string // one sentence
	Release string // "": the newest
	Gates   string // as in --feature-gates; "": the defaults
	Config  []byte // a KubeSchedulerConfiguration in YAML; nil: the default one
	// Until is how long virtual time goes on after the last event at least; zero: it need not.
	Until time.Time
	// Percentage of nodes to score that overrules the configuration; nil: none does. A Go test alone has it.
	Percentage *int32
}

// Scenario writes a script as a scenario: one yaml block for each event, and the time that passes between them. What a
// scenario cannot express, such as a reply that the world holds back, is an error.
func Scenario(h Heading, script source.Script) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", oneLine(h.Shows))
	if h.Release != "" {
		fmt.Fprintf(&b, "release %s\n", h.Release)
	}
	if h.Gates != "" {
		fmt.Fprintf(&b, "gates %s\n", h.Gates)
	}
	if len(h.Config) > 0 {
		fmt.Fprintf(&b, "config\n%s", indented(string(h.Config)))
	}
	last, open := cluster.Action(255), false
	for i, t := range script {
		if t.Event.Object == nil {
			return nil, phrase.Errorf("event %d is about what the world holds back, which a scenario is not written with", i+1)
		}
		if i > 0 && t.At.After(script[i-1].At) {
			fmt.Fprintf(&b, "run %s\n", duration(t.At.Sub(script[i-1].At)))
			open = false
		}
		text, err := document(t.Event)
		if err != nil {
			return nil, err
		}
		if open && t.Event.Action == last {
			b.WriteString("  ---\n")
		} else {
			b.WriteString(verbs[t.Event.Action])
		}
		last, open = t.Event.Action, true
		b.WriteString(indented(text))
	}
	if n := len(script); n > 0 && h.Until.After(script[n-1].At) {
		fmt.Fprintf(&b, "run %s\n", duration(h.Until.Sub(script[n-1].At)))
	}
	return b.Bytes(), nil
}

var verbs = map[cluster.Action]string{
	cluster.Add: "yaml\n", cluster.Update: "yaml update\n", cluster.Delete: "yaml delete\n",
}

// duration rounds up: an event comes no earlier than it did.
func duration(d time.Duration) string {
	if whole := d.Truncate(time.Millisecond); whole != d {
		d = whole + time.Millisecond
	}
	return d.String()
}

// YAML writes the objects of a script whose events all come at once and add something, and the configuration. Manifests
// name no release and no gates.
func YAML(h Heading, script source.Script) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", oneLine(h.Shows))
	if len(h.Config) > 0 {
		fmt.Fprintf(&b, "%s\n---\n", bytes.TrimRight(h.Config, "\n"))
	}
	for i, t := range script {
		if !isThere(script, i) {
			return nil, phrase.Errorf("event %d of %d is no object that is there from the beginning: manifests have no time",
				i+1, len(script))
		}
		text, err := document(t.Event)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteString("---\n")
		}
		b.WriteString(text)
	}
	return b.Bytes(), nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// width is how long the line of an object may be.
const width = 110

// document is an object in few lines.
func document(e cluster.Event) (string, error) {
	o, err := members(e)
	if err != nil {
		return "", err
	}
	return laidOut(o), nil
}

// members are those of an object as a manifest has them, without what its types write for fields that are not there.
func members(e cluster.Event) (map[string]any, error) {
	object, is := e.Object.DeepCopyObject().(cluster.Object)
	if kind, known := cluster.KindOf(e.Object); is && known {
		row := cluster.RowOf(kind)
		object.GetObjectKind().SetGroupVersionKind(row.GroupVersion().WithKind(string(row.Kind)))
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var o map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&o); err != nil {
		return nil, err
	}
	if e.Action == cluster.Delete {
		meta, _ := o["metadata"].(map[string]any)
		o = map[string]any{"apiVersion": o["apiVersion"], "kind": o["kind"], "metadata": map[string]any{
			"name": meta["name"], "namespace": meta["namespace"],
		}}
	}
	pruned(o)
	unfilled(o)
	return o, nil
}

// laidOut is an object in few lines: all of it in one, or as many of its members in a line as fit.
func laidOut(o map[string]any) string {
	var b strings.Builder
	length := 0
	for i, key := range ordered(o) {
		member := plain(key) + ": " + flow(o[key])
		switch {
		case i == 0:
			member = "{" + member
		case length+len(", ")+len(member) < width:
			b.WriteString(", ")
			length += len(", ")
		default:
			b.WriteString(",\n ")
			length = 1
		}
		b.WriteString(member)
		length += len(member)
	}
	return b.String() + "}\n"
}

// inLines is an object with a line for each of its members: what decodes manifests in kubernetes/kubernetes takes one
// that begins with a brace for JSON.
func inLines(o map[string]any) string {
	var b strings.Builder
	for _, key := range ordered(o) {
		member := o[key]
		inner, is := member.(map[string]any)
		if line := plain(key) + ": " + flow(member); len(line) <= width || !is {
			b.WriteString(line + "\n")
			continue
		}
		b.WriteString(plain(key) + ":\n")
		for _, k := range ordered(inner) {
			b.WriteString("  " + plain(k) + ": " + flow(inner[k]) + "\n")
		}
	}
	return b.String()
}

// pruned takes out what the types write for a field that is not there.
func pruned(o map[string]any) {
	for key, member := range o {
		switch m := member.(type) {
		case nil:
			delete(o, key)
		case map[string]any:
			pruned(m)
			if len(m) == 0 && (key == "status" || key == "resources" || key == "loadBalancer") {
				delete(o, key)
			}
		case []any:
			for _, element := range m {
				if inner, is := element.(map[string]any); is {
					pruned(inner)
				}
			}
		}
	}
}

// unfilled takes out of an object what its types write where nothing was given: an empty spec, and of a node the fields
// of its system and its kubelet.
func unfilled(o map[string]any) {
	if spec, is := o["spec"].(map[string]any); is && len(spec) == 0 {
		delete(o, "spec")
	}
	status, is := o["status"].(map[string]any)
	if o["kind"] != "Node" || !is {
		return
	}
	if info, is := status["nodeInfo"].(map[string]any); is {
		maps.DeleteFunc(info, func(_ string, v any) bool { return v == "" })
		if len(info) == 0 {
			delete(status, "nodeInfo")
		}
	}
	if ports, is := status["daemonEndpoints"].(map[string]any); is && fmt.Sprint(ports) == noPort {
		delete(status, "daemonEndpoints")
	}
	if len(status) == 0 {
		delete(o, "status")
	}
}

const noPort = "map[kubeletEndpoint:map[Port:0]]"

// ordered are the keys as manifests have them: the head first, then by name.
func ordered(o map[string]any) []string {
	keys := slices.Sorted(maps.Keys(o))
	head := []string{"apiVersion", "kind", "metadata", "name"}
	slices.SortStableFunc(keys, func(a, b string) int { return place(head, a) - place(head, b) })
	return keys
}

func place(head []string, key string) int {
	if i := slices.Index(head, key); i >= 0 {
		return i
	}
	return len(head)
}

// flow is a value in the flow style of YAML.
func flow(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var members []string
		for _, key := range ordered(v) {
			members = append(members, plain(key)+": "+flow(v[key]))
		}
		return "{" + strings.Join(members, ", ") + "}"
	case []any:
		elements := make([]string, len(v))
		for i := range v {
			elements[i] = flow(v[i])
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case string:
		return plain(v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a value of JSON cannot be written: %v", err))
	}
	return string(raw)
}

// bare are texts that YAML reads as they stand, except for words that it takes for other values.
var bare = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)

func plain(text string) string {
	switch strings.ToLower(text) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
	default:
		if bare.MatchString(text) {
			return text
		}
	}
	raw, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("a text cannot be written: %v", err))
	}
	return string(raw)
}
