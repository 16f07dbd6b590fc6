package command

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// whatIfVerbs edit the cluster or the configuration on a branch.
func whatIfVerbs() []Verb {
	return []Verb{
		ofEdit("cordon", ofOneNode(session.Cordon), ofNode),
		ofEdit("uncordon", ofOneNode(session.Uncordon), ofNode),
		ofEdit("drain", ofOneNode(session.Drain), ofNode),
		ofEdit("taint", taintNode, ofNode),
		ofEdit("label", labelOne, ofPodOrNode),
		ofEdit("add-node", addNode, ofNothing, ofLike, ofNode),
		ofEdit("delete", deleteOne, ofPodOrNode),
		ofEdit("plan", planned, ofPlan),
		{
			Name: "set", Usage: strings.Join(settingUsages(), " | "), takes: []kind{ofSetting},
			Does: "what if: another request, priority, weight, configuration or release, or a plugin is off",
			Run:  set,
		},
	}
}

// ofEdit is a verb that the table of edits describes.
func ofEdit(name string, run func(Call) (Answer, error), takes ...kind) Verb {
	row, _ := rowOf(name)
	return Verb{Name: name, Usage: row.Usage, takes: takes, Does: row.Does, Run: run}
}

// rowOf is the row of the table of edits that describes a verb.
func rowOf(verb string) (session.EditKind, bool) {
	for _, row := range session.EditKinds() {
		if row.Verb == verb && row.Help != "" {
			return row, true
		}
	}
	return session.EditKind{}, false
}

// edit carries out a what-if.
func edit(c Call, e session.Edit) (Answer, error) {
	if err := c.room(); err != nil {
		return Answer{}, err
	}
	branch, said, err := c.Session.Edit(e)
	if err != nil {
		return Answer{}, err
	}
	again := ""
	if c.Session.CanRedo() {
		again = c.lang().Of("redo runs the last cycle again with it, ")
	}
	return Answer{Moved: true, Said: c.lang().Say(
		"%s, on branch %s; n tries the next pod, %sundo removes the branch", said, branch, again)}, nil
}

// ofOneNode is a verb about one node.
func ofOneNode(what func(node string) session.Edit) func(Call) (Answer, error) {
	return func(c Call) (Answer, error) {
		if len(c.Args) != 1 {
			return Answer{}, c.lang().Errorf(
				"which node? (%s)", firstFew(c.lang(), c.Session.At().Names().Nodes),
			)
		}
		return edit(c, what(c.Args[0]))
	}
}

// firstFew is a list cut so that it can be part of a sentence.
func firstFew(lang words.Language, names []string) string {
	if len(names) == 0 {
		return lang.Of("there is none yet")
	}
	return some(lang, names)
}

func taintNode(c Call) (Answer, error) {
	if len(c.Args) != 2 {
		return Answer{}, c.lang().Errorf("taint: which node and taint? " +
			"(taint n1 gpu=true:NoSchedule; a minus at the end removes the taint)")
	}
	return edit(c, session.Taint(c.Args[0], c.Args[1]))
}

func labelOne(c Call) (Answer, error) {
	if len(c.Args) != 2 {
		return Answer{}, c.lang().Errorf(
			"label: what, and with which label? (label n1 zone=a; label n1 zone- takes it away)",
		)
	}
	name, _, err := podOrNode(c, c.Args[0], c.Session.At().Pod)
	if err != nil {
		return Answer{}, err
	}
	return edit(c, session.Label(name, c.Args[1]))
}

func deleteOne(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("delete: which node or pod?")
	}
	name, isNode, err := podOrNode(c, c.Args[0], c.Session.At().Pod)
	switch {
	case err != nil:
		return Answer{}, err
	case isNode:
		return edit(c, session.DeleteNode(name))
	}
	return edit(c, session.DeletePod(name))
}

func addNode(c Call) (Answer, error) {
	if len(c.Args) == 0 {
		return Answer{}, c.lang().Errorf("add-node: what is it called? (add-node n9 like n1 cpu=16)")
	}
	name, rest, like := c.Args[0], c.Args[1:], ""
	if len(rest) > 0 && rest[0] == "like" {
		if len(rest) == 1 {
			return Answer{}, c.lang().Errorf(
				"add-node: like which node? (%s)", firstFew(c.lang(), c.Session.At().Names().Nodes),
			)
		}
		like, rest = rest[1], rest[2:]
	}
	if nodes := c.Session.At().Names().Nodes; like == "" {
		if len(nodes) == 0 {
			return Answer{}, c.lang().Errorf("add-node: there is no node yet that it could be like")
		}
		like = c.Session.At().PlainNode()
	}
	resources := map[string]string{}
	for _, word := range rest {
		key, amount, ok := strings.Cut(word, "=")
		if !ok {
			return Answer{}, c.lang().Errorf("add-node: %q is not RESOURCE=AMOUNT (cpu=16)", word)
		}
		resources[key] = amount
	}
	return edit(c, session.AddNode(name, like, resources))
}

// settings are what set takes, by its first word.
var settings = map[string]func(Call, []string) (Answer, error){
	"request": setRequest, "weight": setWeight, "priority": setPriority, "class": setClass, "plugin": setPlugin,
	"default-class": setDefaultClass, "budget": setBudget, "config": setConfig, "release": setRelease, "gates": setGates,
}

// settingRows are the rows of the table of edits that set makes, without those that a row before them has described.
func settingRows() []session.EditKind {
	return slices.DeleteFunc(slices.Clone(session.EditKinds()), func(row session.EditKind) bool {
		return !strings.HasPrefix(row.Verb, "set ") || row.Usage == ""
	})
}

// settingWords are the first words that set takes.
func settingWords() (all []string) {
	for _, row := range settingRows() {
		all = append(all, strings.TrimPrefix(row.Verb, "set "))
	}
	return all
}

// settingUsages are what set takes.
func settingUsages() (all []string) {
	for _, row := range settingRows() {
		all = append(all, strings.TrimPrefix(row.Verb, "set ")+" "+row.Usage)
	}
	return all
}

// settingExamples are calls of set, as they are typed.
func settingExamples() (all []string) {
	for _, row := range settingRows() {
		all = append(all, row.Examples...)
	}
	return all
}

func set(c Call) (Answer, error) {
	for _, row := range settingRows() {
		word := strings.TrimPrefix(row.Verb, "set ")
		if len(c.Args) > wordsOf(row.Usage) && c.Args[0] == word {
			return settings[word](c, c.Args[1:])
		}
	}
	return Answer{}, c.lang().Errorf("set: what? (%s)", strings.Join(settingExamples(), "; "))
}

// wordsOf is how many words a usage needs at least: those that are not in brackets.
func wordsOf(usage string) int {
	return len(slices.DeleteFunc(strings.Fields(usage), func(word string) bool { return strings.HasPrefix(word, "[") }))
}

func setRequest(c Call, args []string) (Answer, error) {
	pod, err := c.Session.At().Pod(args[0])
	if err != nil {
		return Answer{}, err
	}
	resource, amount, ok := strings.Cut(args[1], "=")
	if !ok || len(args) > 3 {
		return Answer{}, c.lang().Errorf(
			"set request: %q is not RESOURCE=AMOUNT (cpu=500m)", strings.Join(args[1:], " "),
		)
	}
	container := ""
	if len(args) == 3 {
		container = args[2]
	}
	return edit(c, session.SetRequest(pod, resource, amount, container))
}

func setWeight(c Call, args []string) (Answer, error) {
	weight, err := strconv.ParseInt(args[1], 10, 32)
	if err != nil {
		return Answer{}, c.lang().Errorf("set weight: %q: a weight must be 1 or more", args[1])
	}
	return edit(c, session.SetWeight(args[0], weight))
}

func setPriority(c Call, args []string) (Answer, error) {
	pod, err := c.Session.At().Pod(args[0])
	if err != nil {
		return Answer{}, err
	}
	priority, err := strconv.ParseInt(args[1], 10, 32)
	if err != nil {
		return edit(c, session.SetPriorityClass(pod, args[1]))
	}
	return edit(c, session.SetPriority(pod, int32(priority)))
}

func setClass(c Call, args []string) (Answer, error) {
	if len(args) != 2 {
		return Answer{}, c.lang().Errorf("set class: of which claim, and to which class? (set class default/data fast)")
	}
	return edit(c, session.SetClass(args[0], args[1]))
}

func setDefaultClass(c Call, args []string) (Answer, error) {
	if len(args) != 1 {
		return Answer{}, c.lang().Errorf("set default-class: which class? (set default-class fast)")
	}
	return edit(c, session.SetDefaultClass(args[0]))
}

func setBudget(c Call, args []string) (Answer, error) {
	field, value, is := strings.Cut(args[1], "=")
	if !is || len(args) != 2 {
		return Answer{}, c.lang().Errorf("set budget: of which budget, and to what? (set budget default/db minAvailable=1)")
	}
	return edit(c, session.SetBudget(args[0], field, intstr.Parse(value)))
}

func setPlugin(c Call, args []string) (Answer, error) {
	if args[1] != "off" {
		return Answer{}, c.lang().Errorf("set plugin: %q: a plugin can be set off", args[1])
	}
	return edit(c, session.Disable(args[0]))
}

// mostOfAConfiguration is the largest configuration that is read, in bytes.
const mostOfAConfiguration = 1 << 20

func setConfig(c Call, args []string) (Answer, error) {
	if len(args) != 1 {
		return Answer{}, c.lang().Errorf("set config: which file? (set config scheduler.yaml)")
	}
	text, err := c.readFile(args[0], mostOfAConfiguration)
	if err != nil {
		return Answer{}, phrase.Errorf("set config: %w", err)
	}
	return edit(c, session.SetConfig(args[0], string(text)))
}

func setRelease(c Call, args []string) (Answer, error) {
	if len(args) != 1 {
		return Answer{}, c.lang().Errorf("set release: which? (one of %s)", strings.Join(session.Releases(), ", "))
	}
	return edit(c, session.SetRelease(args[0]))
}

func setGates(c Call, args []string) (Answer, error) {
	if len(args) != 1 {
		return Answer{}, c.lang().Errorf("set gates: which? (set gates GenericWorkload=true)")
	}
	return edit(c, session.SetGates(args[0]))
}
