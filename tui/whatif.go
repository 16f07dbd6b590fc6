package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/replay/session"
)

// whatIfVerbs edit the cluster or the configuration on a branch.
func whatIfVerbs() []verb {
	node := []kind{ofNode}
	return []verb{
		{
			name: "cordon", usage: "NODE", takes: node, does: "what if a node took no more pods",
			run: ofOneNode(session.Cordon),
		},
		{
			name: "uncordon", usage: "NODE", takes: node, does: "what if a cordoned node took pods again",
			run: ofOneNode(session.Uncordon),
		},
		{
			name: "drain", usage: "NODE", takes: node,
			does: "what if a node were cordoned and its pods made again elsewhere", run: ofOneNode(session.Drain),
		},
		{name: "taint", usage: "NODE KEY[=VALUE]:EFFECT[-]", takes: node, does: "what if a node had a taint; with a minus at the end: had it no more", run: func(c call) (answer, error) {
			if len(c.args) != 2 {
				return answer{}, fmt.Errorf("taint: which node, and with what? (taint n1 gpu=true:NoSchedule; a minus at the end takes a taint away)")
			}
			return edit(c, session.Taint(c.args[0], c.args[1]))
		}},
		{
			name: "label", usage: "NODE|POD KEY=VALUE|KEY-", takes: []kind{ofPodOrNode},
			does: "what if a node or a pod had a label; KEY- takes one away", run: labelOne,
		},
		{
			name: "add-node", usage: "NAME [like NODE] [RESOURCE=AMOUNT ...]", takes: []kind{ofNothing, ofLike, ofNode},
			does: "what if there were one more node, like another (the first, unless named)", run: addNode,
		},
		{
			name: "delete", usage: "NODE|POD", takes: []kind{ofPodOrNode},
			does: "what if a node, or a pod, were not there; a node's pods are made again", run: deleteOne,
		},
		{
			name: "set", usage: "request POD RESOURCE=AMOUNT | weight PLUGIN N", takes: []kind{ofSetting},
			does: "what if a pod requested so much; what if a plugin's score counted N times", run: set,
		},
	}
}

// edit carries out a what-if.
func edit(c call, e session.Edit) (answer, error) {
	branch, said, err := c.session.Edit(e)
	if err != nil {
		return answer{}, err
	}
	return answer{
		moved: true, said: fmt.Sprintf("%s, on branch %s; n tries the next pod, undo forgets it", said, branch),
	}, nil
}

// ofOneNode is a verb about one node.
func ofOneNode(what func(node string) session.Edit) func(call) (answer, error) {
	return func(c call) (answer, error) {
		if len(c.args) != 1 {
			return answer{}, fmt.Errorf("which node? (%s)", firstFew(c.session.Names().Nodes))
		}
		return edit(c, what(c.args[0]))
	}
}

// firstFew is a list cut so that it can be part of a sentence.
func firstFew(names []string) string {
	if len(names) == 0 {
		return "there is none yet"
	}
	return some(names)
}

// podOrNode is the node that a word names, or else the key of the pod.
func podOrNode(c call, word string) (name string, isNode bool, err error) {
	names := c.session.Names()
	if slices.Contains(names.Nodes, word) {
		return word, true, nil
	}
	pod, err := podNamed(names.Pods, word)
	if err != nil && strings.HasPrefix(err.Error(), "there is no pod") {
		err = fmt.Errorf("there is no node and no pod %q here", word)
	}
	return pod, false, err
}

func labelOne(c call) (answer, error) {
	if len(c.args) != 2 {
		return answer{}, fmt.Errorf("label: what, and with which label? (label n1 zone=a; label n1 zone- takes it away)")
	}
	name, _, err := podOrNode(c, c.args[0])
	if err != nil {
		return answer{}, err
	}
	return edit(c, session.Label(name, c.args[1]))
}

func deleteOne(c call) (answer, error) {
	if len(c.args) != 1 {
		return answer{}, fmt.Errorf("delete: which node or pod?")
	}
	name, isNode, err := podOrNode(c, c.args[0])
	switch {
	case err != nil:
		return answer{}, err
	case isNode:
		return edit(c, session.DeleteNode(name))
	}
	return edit(c, session.DeletePod(name))
}

func addNode(c call) (answer, error) {
	if len(c.args) == 0 {
		return answer{}, fmt.Errorf("add-node: what is it called? (add-node n9 like n1 cpu=16)")
	}
	name, rest, like := c.args[0], c.args[1:], ""
	if len(rest) > 0 && rest[0] == "like" {
		if len(rest) == 1 {
			return answer{}, fmt.Errorf("add-node: like which node? (%s)", firstFew(c.session.Names().Nodes))
		}
		like, rest = rest[1], rest[2:]
	}
	if nodes := c.session.Names().Nodes; like == "" {
		if len(nodes) == 0 {
			return answer{}, fmt.Errorf("add-node: there is no node yet that it could be like")
		}
		like = nodes[0]
	}
	resources := map[string]string{}
	for _, word := range rest {
		key, amount, ok := strings.Cut(word, "=")
		if !ok {
			return answer{}, fmt.Errorf("add-node: %q is not RESOURCE=AMOUNT (cpu=16)", word)
		}
		resources[key] = amount
	}
	return edit(c, session.AddNode(name, like, resources))
}

func set(c call) (answer, error) {
	const usage = "set: what? (set request POD cpu=500m; set weight PLUGIN 5)"
	if len(c.args) != 3 {
		return answer{}, fmt.Errorf("%s", usage)
	}
	switch c.args[0] {
	case "request":
		pod, err := podNamed(c.session.Names().Pods, c.args[1])
		if err != nil {
			return answer{}, err
		}
		resource, amount, ok := strings.Cut(c.args[2], "=")
		if !ok {
			return answer{}, fmt.Errorf("set request: %q is not RESOURCE=AMOUNT (cpu=500m)", c.args[2])
		}
		return edit(c, session.SetRequest(pod, resource, amount))
	case "weight":
		weight, err := strconv.ParseInt(c.args[2], 10, 32)
		if err != nil {
			return answer{}, fmt.Errorf("set weight: %q is no weight (1 or more)", c.args[2])
		}
		return edit(c, session.SetWeight(c.args[1], weight))
	}
	return answer{}, fmt.Errorf("%s", usage)
}
