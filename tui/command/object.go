package command

import (
	"bytes"
	"errors"
	"reflect"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/amount"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/session"
)

// Draft is a text that the user may change in an editor.
type Draft struct {
	Name string // of a file it could be in
	Text string
	Line string // carries the changed text out when the name of a file is put behind it; "": there is no draft
}

// objectVerbs show API objects whole, and change them.
func objectVerbs() []Verb {
	return []Verb{
		{
			Name: "describe", Aliases: []string{"d"}, Usage: "[OBJECT]", takes: []kind{ofPodOrNode},
			Does: "show a pod, a node or another object whole, as YAML", Run: describeObject,
		},
		{
			Name: "edit", Aliases: []string{"e"}, Usage: "[OBJECT] [FILE]", takes: []kind{ofPodOrNode},
			Does: "what if: change any object in an editor, or as a file says", Run: editObject,
		},
	}
}

// objectMeant is the object that is named, or else the pod of the cursor's cycle; before the first cycle the pod at the
// head of the queue.
func objectMeant(c Call) (cluster.Object, error) {
	if len(c.Args) > 0 {
		return c.Session.At().Object(c.Args[0])
	}
	f := c.Session.Frame()
	if next := f.Queue.Active; f.About() == nil && len(next) > 0 {
		return c.Session.At().Object(podOf(f, next[0].Pod))
	}
	pod, err := podMeant(c)
	if err != nil {
		return nil, err
	}
	return c.Session.At().Object(pod)
}

// textOf is an object as YAML, and KIND/KEY of it.
func textOf(o cluster.Object) (text, name string, err error) {
	made, err := yaml.Marshal(o)
	kind, _ := cluster.KindOf(o)
	return string(made), strings.ToLower(string(kind)) + "/" + cluster.Key(o), err
}

func describeObject(c Call) (Answer, error) {
	if len(c.Args) > 1 {
		return Answer{}, c.lang().Errorf("describe: what? (a pod, a node, or KIND/NAME)")
	}
	o, err := objectMeant(c)
	if err != nil {
		return Answer{}, err
	}
	text, name, err := textOf(o)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Page: Page{Title: name, Lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}}, nil
}

// mostOfAnObject is more than an API server takes.
const mostOfAnObject = 4 << 20

// editObject replaces an object by the one in a file; without one it hands out a draft.
func editObject(c Call) (Answer, error) {
	if len(c.Args) > 2 {
		return Answer{}, c.lang().Errorf(
			"edit: what, and by which file? (edit web-3; edit pdb/shop/web changed.yaml)",
		)
	}
	o, err := objectMeant(c)
	if err != nil {
		return Answer{}, err
	}
	if len(c.Args) == 2 {
		text, err := c.readFile(c.Args[1], mostOfAnObject)
		if err != nil {
			return Answer{}, phrase.Errorf("edit: %w", err)
		}
		return replaced(c, o, text)
	}
	if err := c.May.Check(RunPrograms | ReadFiles); err != nil {
		return Answer{}, phrase.Errorf("edit: %w", err)
	}
	text, name, err := textOf(o)
	return Answer{Draft: Draft{
		Name: strings.NewReplacer("/", "-", ":", "-").Replace(name) + ".yaml", Text: text, Line: "edit " + name,
	}}, err
}

// replaced replaces an object by the one in a text that the user edited.
func replaced(c Call, was cluster.Object, text []byte) (Answer, error) {
	kind, _ := cluster.KindOf(was)
	changed := cluster.RowOf(kind).New()
	if asJSON, err := yaml.YAMLToJSON(text); err == nil {
		if err := amount.Check(asJSON, reflect.TypeOf(changed)); err != nil {
			return Answer{}, c.lang().Errorf("edit: it is no %s: %w", kind, err)
		}
	}
	if err := yaml.UnmarshalStrict(text, changed); err != nil {
		return Answer{}, c.lang().Errorf("edit: it is no %s: %w", kind, plainYAML(err))
	}
	before, _, err := textOf(was)
	if err != nil {
		return Answer{}, err
	}
	after, err := yaml.Marshal(changed)
	switch {
	case err != nil:
		return Answer{}, err
	case bytes.Equal(after, []byte(before)):
		return Answer{Said: c.lang().Of("nothing was changed")}, nil
	case changed.GetObjectKind().GroupVersionKind() != was.GetObjectKind().GroupVersionKind():
		return Answer{}, c.lang().Errorf("edit: the apiVersion and the kind stay")
	}
	return edit(c, session.Replace(changed))
}

// plainYAML is an error of the parser in one line.
func plainYAML(err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	for _, noise := range []string{"error unmarshaling JSON: ", "while decoding JSON: ", "json: "} {
		text = strings.TrimPrefix(text, noise)
	}
	return errors.New(text)
}
