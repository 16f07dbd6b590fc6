package tables

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/conformance/tables/record"
)

// tableCase is one row of a table of upstream's: the cluster, the function that is called, and its results.
type tableCase struct {
	Function string `json:"function"` // the test
	Row      int    `json:"row"`
	Name     string `json:"name,omitempty"`
	Gates    string `json:"gates,omitempty"`
	// Predicate or Priority is the name that a Policy has for the function. When neither is set, Table and Calls have what
	// the test gives to the scheduler and what it answers.
	Predicate string           `json:"predicate,omitempty"`
	Priority  string           `json:"priority,omitempty"`
	Argument  any              `json:"argument,omitempty"` // as in a Policy, for what has one
	Pod       any              `json:"pod,omitempty"`
	Nodes     []Node           `json:"nodes,omitempty"`
	Objects   map[string][]any `json:"objects,omitempty"` // the rest of the cluster: "pods", "services", ...
	Answers   []nodeAnswer     `json:"answers,omitempty"`
	Table     map[string]any   `json:"table,omitempty"`
	Calls     []callStep       `json:"calls,omitempty"`
	elsewhere bool
}

// Node is a node with the pods that its predicates see there.
type Node struct {
	Node any   `json:"node"`
	Pods []any `json:"pods,omitempty"`
}

// nodeAnswer is the result for one node.
type nodeAnswer struct {
	Node      string   `json:"node"`
	Predicate string   `json:"predicate,omitempty"` // that says it, where it is not that of the case
	Fits      *bool    `json:"fits,omitempty"`
	Reasons   []string `json:"reasons,omitempty"`
	Score     *int     `json:"score,omitempty"`
	Error     string   `json:"error,omitempty"`
}

// callStep is one call of the scheduler or of its queue.
type callStep struct {
	Function string `json:"function"`
	Given    []any  `json:"given,omitempty"`
	Answers  []any  `json:"answers,omitempty"`
	Queue    any    `json:"queue,omitempty"` // what waits where after the call
}

// testFile is the cases of one file of tests.
type testFile struct {
	Name  string // such as algorithm/predicates/predicates_test.go
	Cases []tableCase
}

// omitted is a row, or a test without rows, that is left out.
type omitted struct {
	File     string `json:"file"`
	Function string `json:"function"`
	Rows     int    `json:"rows"`
	Reason   string `json:"reason"`
}

// shape makes cases of what tests wrote down. Whatever it cannot make a case of is left out with its reason; it is an
// error if that has none.
func shape(lines []record.Line) ([]testFile, []omitted, error) {
	var files []testFile
	var left []omitted
	for i := 0; i < len(lines); {
		begins := lines[i].Case
		if begins == nil {
			return nil, nil, fmt.Errorf("line %d is of no case", i+1)
		}
		i++
		var calls []*record.Call
		for ; i < len(lines) && lines[i].Call != nil; i++ {
			calls = append(calls, lines[i].Call)
		}
		// A test with a table records that it begins, and then the same for each row.
		rows := begins.Entry != nil || i == len(lines) || lines[i].Case.Function != begins.Function
		if !rows && len(calls) == 0 {
			continue
		}
		if reason, is := leftOut[begins.Function]; is {
			left = leave(left, begins, reason)
			continue
		}
		c, err := caseOf(begins, calls)
		if err != nil {
			return nil, nil, fmt.Errorf("%s, %s, row %d: %w", begins.File, begins.Function, begins.Row, err)
		}
		if len(files) == 0 || files[len(files)-1].Name != begins.File {
			files = append(files, testFile{Name: begins.File})
		}
		files[len(files)-1].Cases = append(files[len(files)-1].Cases, c)
	}
	for i := range files {
		sorted(files[i].Cases)
	}
	return files, left, nil
}

// sorted gives the rows of a table that is a map, which come by chance, the order of their names.
func sorted(cases []tableCase) {
	slices.SortStableFunc(cases, func(a, b tableCase) int {
		if a.Function == b.Function && a.Function == compatibility {
			return strings.Compare(a.Name, b.Name)
		}
		return 0
	})
	for i := range cases {
		if cases[i].Function == compatibility {
			cases[i].Row = i
		}
	}
}

func leave(left []omitted, begins *record.Case, reason string) []omitted {
	if n := len(left); n > 0 && left[n-1].Function == begins.Function {
		left[n-1].Rows++
		return left
	}
	return append(left, omitted{begins.File, begins.Function, 1, reason})
}

func caseOf(begins *record.Case, calls []*record.Call) (tableCase, error) {
	entry, _ := begins.Entry.(map[string]any)
	c := tableCase{Function: begins.Function, Row: begins.Row, Name: nameOf(entry), Gates: begins.Gates}
	if name, is := begins.Key.(string); is {
		c.Name = name
	}
	if begins.Function == compatibility {
		c.Table, _ = cleaned(entry).(map[string]any)
		c.Table["JSON"] = strings.Join(strings.Fields(fmt.Sprint(entry["JSON"])), " ")
		return c, nil
	}
	if len(calls) == 0 {
		return c, fmt.Errorf("the test asks nothing that is written down")
	}
	if strings.HasPrefix(begins.File, "core/") {
		c.table(entry, calls)
		return c, nil
	}
	for _, call := range calls {
		if err := c.add(call); err != nil {
			return c, err
		}
	}
	if list, is := entry["expectedList"].([]any); is {
		c.expect(list)
	}
	if ignored, is := entry["ignoredExtendedResources"].([]any); is {
		c.Argument = map[string]any{"ignoredExtendedResources": ignored}
	}
	c.unite()
	return c, nil
}

func nameOf(entry map[string]any) string {
	for _, key := range []string{"test", "name", "Name", "description", "desc"} {
		if name, is := entry[key].(string); is {
			return name
		}
	}
	return ""
}

// add takes over the arguments and results of one call of a predicate or a priority.
func (c *tableCase) add(call *record.Call) error {
	asked, err := askedBy(call)
	if err != nil {
		return err
	}
	if c.Predicate+c.Priority != "" && c.Predicate+c.Priority != asked.name {
		return c.other(asked.name, call)
	}
	if asked.predicate {
		c.Predicate = asked.name
	} else {
		c.Priority = asked.name
	}
	c.Argument = asked.argument
	c.Pod = cleaned(call.Before[0])
	receiver, _ := call.Receiver.(map[string]any)
	c.objects(receiver)
	switch {
	case asked.predicate:
		c.Answers = append(c.Answers, verdict(c.node(call.Before[1]), call.Results))
	case len(call.Before) == 2:
		c.node(call.Before[1])
	case len(call.Before) == 3 && call.Results[0] != nil:
		c.listed(call.Before[2], call.Before[1])
	}
	return nil
}

// other takes a second predicate that a test calls for the same nodes.
func (c *tableCase) other(name string, call *record.Call) error {
	if name != "MatchNodeSelector" || c.Predicate != "MatchInterPodAffinity" {
		return fmt.Errorf("%s is asked beside %s", name, c.Predicate+c.Priority)
	}
	answer := verdict(c.node(call.Before[1]), call.Results)
	answer.Predicate = name
	c.Answers = append(c.Answers, answer)
	return nil
}

// node adds a node with its pods, if it is not there, and returns its name. A node without a name gets one.
func (c *tableCase) node(info any) string {
	fields, _ := info.(map[string]any)
	object, _ := cleaned(fields["node"]).(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	name, _ := metadata["name"].(string)
	if name == "" {
		name = "node"
		metadata["name"] = name
	}
	for _, n := range c.Nodes {
		if nameIn(n.Node) == name {
			return name
		}
	}
	pods, _ := cleaned(fields["pods"]).([]any)
	c.Nodes = append(c.Nodes, Node{object, pods})
	return name
}

// listed adds nodes, with the pods that infos have by the names of nodes. Pods of nodes that are not listed are pods of
// the cluster.
func (c *tableCase) listed(nodes, infos any) {
	list, _ := nodes.([]any)
	by, _ := infos.(map[string]any)
	for _, node := range list {
		info, _ := by[nameIn(node)].(map[string]any)
		c.node(map[string]any{"node": node, "pods": info["pods"]})
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if slices.ContainsFunc(c.Nodes, func(n Node) bool { return nameIn(n.Node) == name }) || c.elsewhere {
			continue
		}
		pods, _ := cleaned(by[name].(map[string]any)["pods"]).([]any)
		for i := range pods {
			if c.Objects == nil {
				c.Objects = map[string][]any{}
			}
			c.Objects["pods"] = append(c.Objects["pods"], pods[i])
		}
	}
}

func nameIn(object any) string {
	fields, _ := object.(map[string]any)
	metadata, _ := fields["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

func verdict(node string, results []any) nodeAnswer {
	fits, _ := results[0].(bool)
	answer := nodeAnswer{Node: node, Fits: &fits, Error: errorIn(results[2])}
	reasons, _ := results[1].([]any)
	for _, r := range reasons {
		answer.Reasons = append(answer.Reasons, fmt.Sprint(r))
	}
	return answer
}

func errorIn(result any) string {
	fields, _ := result.(map[string]any)
	text, _ := fields["error"].(string)
	return text
}

// expect has the scores of a list of nodes.
func (c *tableCase) expect(list []any) {
	c.Answers = nil
	for _, e := range list {
		fields := e.(map[string]any)
		score := int(fields["Score"].(float64))
		c.Answers = append(c.Answers, nodeAnswer{Node: fmt.Sprint(fields["Host"]), Score: &score})
	}
	slices.SortFunc(c.Answers, func(a, b nodeAnswer) int { return strings.Compare(a.Node, b.Node) })
	slices.SortFunc(c.Nodes, func(a, b Node) int { return strings.Compare(nameIn(a.Node), nameIn(b.Node)) })
}

// listers are what a predicate or a priority reads of the cluster beside nodes, by the names of their fields.
var listers = map[string]string{
	"podLister": "pods", "serviceLister": "services", "controllerLister": "replicationControllers",
	"replicaSetLister": "replicaSets", "statefulSetLister": "statefulSets", "pvInfo": "persistentVolumes",
	"pvcInfo": "persistentVolumeClaims", "classInfo": "storageClasses", "info": "nodes", "nodeInfo": "nodes",
	"nodeLister": "nodes",
}

func (c *tableCase) objects(receiver map[string]any) {
	for _, field := range slices.Sorted(maps.Keys(receiver)) {
		kind, is := listers[field]
		if !is {
			continue
		}
		list, is := cleaned(receiver[field]).([]any)
		if one, single := cleaned(receiver[field]).(map[string]any); single && kind == "nodes" {
			list, is = []any{one}, true
		}
		if !is || len(list) == 0 {
			continue
		}
		if c.Objects == nil {
			c.Objects = map[string][]any{}
		}
		if kind == "pods" {
			c.elsewhere = true
		}
		c.Objects[kind] = list
	}
}

// unite makes one cluster of what each call saw: nodes that only others were listed with are nodes, and where pods were
// listed for all nodes, those are the pods.
func (c *tableCase) unite() {
	for _, n := range c.Objects["nodes"] {
		if nameIn(n) != "" && !slices.ContainsFunc(c.Nodes, func(have Node) bool { return nameIn(have.Node) == nameIn(n) }) {
			c.Nodes = append(c.Nodes, Node{Node: n})
		}
	}
	delete(c.Objects, "nodes")
	if c.elsewhere {
		for i := range c.Nodes {
			c.Nodes[i].Pods = nil
		}
	}
	c.Answers = slices.CompactFunc(c.Answers, func(a, b nodeAnswer) bool {
		return a.Node == b.Node && a.Predicate == b.Predicate && a.Error == b.Error &&
			(a.Fits == nil || *a.Fits == *b.Fits) &&
			slices.Equal(a.Reasons, b.Reasons) && a.Score == nil
	})
}

// table keeps what a test gives to the scheduler as it is.
func (c *tableCase) table(entry map[string]any, calls []*record.Call) {
	if len(entry) > 0 {
		c.Table, _ = cleaned(entry).(map[string]any)
	}
	for _, call := range calls {
		step := callStep{Function: call.Function, Queue: cleaned(waiting(call.Then))}
		step.Given, _ = cleaned(call.Before).([]any)
		step.Answers, _ = cleaned(call.Results).([]any)
		if len(entry) > 0 {
			step.Given = nil // the row has it
		}
		receiver, _ := call.Receiver.(map[string]any)
		switch call.Function {
		case "pickOneNodeForPreemption":
			step.Answers = nil // of several that are as good it takes any; the row has all
		case "selectNodesForPreemption":
			step.Given, _ = cleaned([]any{inOrder(call.Before[1])}).([]any)
		case "Preempt":
			cache, _ := receiver["cache"].(map[string]any)
			step.Given, _ = cleaned([]any{inOrder(cache["nodes"]), call.Before[0], call.Before[2]}).([]any)
		case "Error":
			step.Given, _ = cleaned([]any{call.Receiver}).([]any)
		case "selectHost":
			step.Given = []any{map[string]any{"lastNodeIndex": receiver["lastNodeIndex"]}}
		}
		if n := len(c.Calls); n > 0 && c.Calls[n-1].Function == "Error" && step.Function == "Error" {
			continue
		}
		c.Calls = append(c.Calls, step)
	}
}

// waiting is the names of the pods in a priority queue.
func waiting(queue any) any {
	fields, is := queue.(map[string]any)
	if !is {
		return nil
	}
	names := func(keys ...string) []any {
		var at any = fields
		for _, key := range keys {
			of, _ := at.(map[string]any)
			at = of[key]
		}
		list := []any{}
		items, _ := at.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(items)) {
			list = append(list, key)
		}
		return list
	}
	return map[string]any{
		"active": names("activeQ", "data", "items"), "unschedulable": names("unschedulableQ", "pods"),
		"nominated": fields["nominatedPods"], "moveRequest": fields["receivedMoveRequest"],
	}
}

// inOrder are the values of a map in the order of their names.
func inOrder(of any) []any {
	fields, _ := of.(map[string]any)
	var list []any
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		list = append(list, fields[key])
	}
	return list
}
