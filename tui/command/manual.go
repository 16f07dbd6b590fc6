package command

// manual is what help prints about each verb below its one line: a paragraph, and examples as they are typed. Of
// what-ifs the table of edits has it.
var manual = map[string]struct {
	text     string
	examples []string
}{
	"next": {
		"Runs the scheduler to the end of its next cycle: one attempt to place one pod or one pod group. It stops earlier " +
			"at a breakpoint. With a number it runs that many cycles.",
		[]string{"next", "next 10"},
	},
	"step": {
		"Goes to the end of the next extension point of the cycle, such as PreFilter, Filter or Score. Between cycles it " +
			"delivers the next event.",
		[]string{"step", "step 3"},
	},
	"into": {
		"Goes one fact forward: one thing that the scheduler did or found. In Filter that is one plugin on one node.",
		[]string{"into", "into 5"},
	},
	"out": {"Goes to the end of the cycle or event that the cursor is in.", []string{"out"}},
	"continue": {
		"Runs to the next breakpoint. Without a breakpoint it runs to the end of the replay.", []string{"continue"},
	},
	"back": {"Goes to the end of the extension point before. Nothing is run again.", []string{"back", "back 2"}},
	"back-fact": {
		"Goes one fact back. It is the opposite of into, and the same as rev into.", []string{"back-fact", "p 3"},
	},
	"rev": {
		"Does a motion backwards: next, step, into, out or continue.", []string{"rev next", "rev into 3", "rev continue"},
	},
	"previous": {"Goes back to the end of the cycle before. It is the same as rev next.", []string{"previous"}},
	"reverse-continue": {
		"Goes back to the last breakpoint that was passed, or to the start.", []string{"reverse-continue"},
	},
	"scheduler": {
		"Where several schedulers decide about one cluster, each has a queue and a cache of its own. The panels show " +
			"those of the scheduler whose cycle ran last. With a name they show those of that scheduler, wherever the cursor " +
			"goes; without a name they follow the cycles again. The position stays.",
		[]string{"scheduler batch", "scheduler"},
	},
	"goto": {
		"Goes to the end of a cycle by its number, or of the next cycle that tried a pod. After the last such cycle the " +
			"first comes again. In the name of a pod * and ? match. If nothing is found, the position stays.",
		[]string{"goto 12", "goto web-3", "goto web-*", "goto step 40", "goto end"},
	},
	"rewind": {"Goes to the start of the replay. Breakpoints and branches stay.", []string{"rewind"}},
	"bookmark": {
		"Remembers the position, with a note if one is given. restart comes back to it.",
		[]string{"bookmark", "bookmark before the drain"},
	},
	"bookmarks": {"Lists the bookmarks with their numbers.", []string{"bookmarks"}},
	"restart": {
		"Goes to a bookmark, by its number. Without a number it goes to the start.", []string{"restart 1"},
	},
	"forget": {"Removes a bookmark. The position can still be reached with goto.", []string{"forget 1"}},
	"break": {
		"Sets a breakpoint: continue and next stop at the next step where all its conditions hold. The words are pod, " +
			"label (of the pod, a selector such as app=web), node, plugin (one that rejects), code, outcome (of the cycle), " +
			"queue (that a pod moves to), event (the kind of an object that changed), divergence (the replay differs from " +
			"the recording or, of a cluster that is followed, a decision of its scheduler would have been another here), and " +
			"if with a CEL expression. A single word that is none of these is a pod.",
		[]string{
			"break pod web-3", "break plugin TaintToleration node n1", "break outcome Unschedulable",
			"break queue unschedulablePods pod web-*", "break if feasible == 0 && pod.priority > 1000",
		},
	},
	"tbreak": {"Sets a breakpoint that is removed after it stopped once.", []string{"tbreak pod web-3"}},
	"trace": {
		"Sets a breakpoint that does not stop. Where it is hit, a line is printed.", []string{"trace pod web-*"},
	},
	"watch": {
		"Stops when a value changes in what the scheduler knows: of a node, a pod, a zone or a queue. A pod that is not " +
			"there yet is looked for in the namespace default.",
		[]string{"watch node.n1.requested.cpu", "watch pod.web-0.queue", "watch domain.zone-a.count", "watch queue.active"},
	},
	"cond": {
		"Gives a breakpoint a CEL expression that must hold too. Without an expression it removes the one it has.",
		[]string{"cond 1 feasible == 0 && pod.priority > 1000", "cond 1 hits % 3 == 0", "cond 1"},
	},
	"on": {
		"Gives a breakpoint a command that runs each time it is hit. Without a command it removes the one it has.",
		[]string{"on 1 show score", "on 1"},
	},
	"deal": {"Goes to the beginning of the next cycle that is to be guessed.", []string{"deal"}},
	"guess": {
		"Guesses which node the pod goes to, which nodes are filtered out, who is evicted and where the pod is " +
			"afterwards; then the cycle ends, and each part is judged. Where nobody says otherwise nobody is evicted, and " +
			"the pod is bound, or unschedulable.",
		[]string{"guess n2 out n1,n3", "guess none out all", "guess none out all evict batch-2"},
	},
	"narrate": {
		"Tells what kube-scheduler does at this step and why, with the numbers of this cycle, and the file and function in " +
			"its source. On the screen it is a pane that stays open.",
		[]string{"narrate"},
	},
	"language": {
		"Goes on in another language: what schedstep says is said in it, and the names and messages of kube-scheduler stay " +
			"as they are. Data, such as JSON and recordings, is the same in every language.",
		[]string{"language zh", "language en"},
	},
	"lesson": {"Shows the page of the lesson that is open.", []string{"lesson"}},
	"page":   {"Opens the next page of the lesson; with back the one before.", []string{"page", "page back"}},
	"hint":   {"Shows one more hint about the task of the page.", []string{"hint"}},
	"answer": {"Answers what the task of the page asks: a name or a number.", []string{"answer 3", "answer n1"}},
	"again": {
		"Begins the page of the lesson again, with the cluster as it was.", []string{"again"},
	},
	"sandbox": {
		"Leaves the page of the lesson for its cluster, which stays as it is: every command works there, advice is no " +
			"longer held back, and nothing counts for the task. lesson returns to the page; a task that was not done begins " +
			"again.",
		[]string{"sandbox"},
	},
	"source": {
		"Carries out the commands of a file, one after the other; the first that fails ends it. Several may stand in a " +
			"line, with ; between them; a line that begins with # is a remark. A script carries out no other script.",
		[]string{"source steps.txt"},
	},
	"save-session": {
		"Writes one file with the replay, the position, breakpoints, bookmarks, displayed values and branches. schedstep " +
			"replay FILE opens it at the same place, on another machine too. Values that may be private are redacted, as in a " +
			"recording, and every command that reads recordings reads it. It asks before it writes over a file.",
		[]string{"save-session web.session"},
	},
	"display": {
		"Shows a value at every stop: in the main pane, and at the prompt after every move. The values are those that " +
			"watch takes. Without a value it lists what is displayed.",
		[]string{"display node.n1.free.cpu", "display queue.active", "display"},
	},
	"undisplay":   {"Shows a displayed value no more.", []string{"undisplay 1"}},
	"breakpoints": {"Lists the breakpoints with their numbers, conditions and hits.", []string{"breakpoints"}},
	"toggle":      {"Turns a breakpoint off, or on again. It keeps its number and hits.", []string{"toggle 1"}},
	"clear":       {"Removes a breakpoint.", []string{"clear 1"}},
	"bind": {
		"Binds a pod to a node by hand, on a new branch: the recording does not change. First it lists the filters that " +
			"reject the node and asks. With yes it does not ask.",
		[]string{"bind web-3 n1", "bind web-3 n1 yes"},
	},
	"branches": {
		"Lists the branches with what was placed on each, and the pods that are on another node than on the branch they " +
			"came from.",
		[]string{"branches"},
	},
	"branch": {"Goes to another branch, where it was left.", []string{"branch main"}},
	"redo": {
		"Goes back to before the cycle after which a what-if was made, makes the what-if there, and runs that cycle " +
			"again: the answer to \"would it have been placed?\". It takes the place of the branch.",
		[]string{"redo"},
	},
	"undo": {"Removes a branch and goes back to where it began. Without a name it removes this one.", []string{"undo"}},
	"set": {
		"Changes the request or the priority of a pending pod (a number, or a PriorityClass that is there), the storage " +
			"class of a claim that names none, the weight of a score plugin, or has a plugin not asked, " +
			"on a new branch. With config a KubeSchedulerConfiguration decides, as if kube-scheduler were started anew with " +
			"it: pods that wait are queued again. With release kube-scheduler of that version decides, so that branches shows " +
			"what each release does with the same pods; with gates it has other feature gates, as its --feature-gates takes " +
			"them. Of a pod with several containers the request of the first is changed, or of " +
			"the one that is named.",
		nil,
	},
	"diff": {
		"Plays the replay from its beginning up to the time of the cursor twice: as it is (A), and under another setting " +
			"(B), which may have several parts. Shows whether pods lose their node, the figures of both sides, what became of " +
			"each pod that ends otherwise with the first cause (the plugin, score, gate or order that differs), how many pods " +
			"each cause has, and how full the nodes are. At the end of the replay that is all of it. The position stays.",
		[]string{
			"diff kube-version=1.31", "diff weight=ImageLocality=5", "diff kube-version=1.19 plugin=TaintToleration=off",
		},
	},
	"apply": {
		"Carries out a set of changes that the command changes lists, on a new branch: the first, or the one with that " +
			"number.",
		[]string{"apply", "apply 2 web-3"},
	},
	"describe": {
		"Shows an object whole, as YAML: a pod or a node by its name, anything else as KIND/NAME or KIND/NAMESPACE/NAME, " +
			"with the kinds and short forms of kubectl. Without a name it is the pod of the cycle.",
		[]string{"describe web-3", "describe n1", "describe pdb/shop/web"},
	},
	"edit": {
		"Opens an object in the editor that $VISUAL or $EDITOR names. What is changed there happens on a new branch: " +
			"requests, tolerations, selectors, affinities, priorities, gates, labels, taints, budgets, claims, classes. With " +
			"a file it is replaced by what the file says. A pod is created again if an API server would refuse the change.",
		[]string{"edit web-3", "edit n1", "edit pdb/shop/web changed.yaml"},
	},
	"fire": {
		"Has an event happen for the unschedulable pods whose rejecting plugins are registered for it, on a new branch, " +
			"whatever their hints would say of it: each of them is put into activeQ. history names what a pod waits for.",
		[]string{"fire NodeAdd", "fire NodeUpdateNodeTaint"},
	},
	"export": {
		"Saves a part as a new file. The ending of the file says the format. cycle is all about the cycle: why, the " +
			"cluster as a picture, every table; run is everything from the start to here: figures, pictures, all cycles. " +
			"Both are .html (one page that needs no network), .md, .json or .csv. filter, score, preemption and group are " +
			"one table, as .csv, .json or .md; screen is the screen as it looks, as .svg. With a format in place of a file " +
			"the text is shown.",
		[]string{"export cycle page.html", "export run run.html", "export filter matrix.csv", "export screen now.svg"},
	},
	"show": {
		"Shows a part: state, queue, filter, score, preemption, group, binding, facts, why, timeline, cluster, charts, " +
			"cache or start. Without a part it shows the state: where the replay is. At the prompt a text after the part " +
			"keeps the lines that contain it.",
		[]string{"show", "show filter n3", "where"},
	},
	"find": {"Finds a pod, a node or a command by some of its letters, in order.", []string{"find web", "/ w3"}},
	"filter": {
		"Shows only the rows that contain a text. Without a text it shows all.", []string{"filter zone-a", "filter"},
	},
	"sort": {
		"Sorts the nodes: snapshot, verdict, name, total or nearest miss.", []string{"sort total", "sort nearest"},
	},
	"columns": {"Shows scores weighted, normalized or raw.", []string{"columns raw"}},
	"group-by": {
		"Groups the nodes of the cluster's picture by a label, such as a rack, instead of their zone. At the prompt it " +
			"lists the nodes so. On the screen r does it in Cluster, from label to label.",
		[]string{"group-by example.com/rack", "group-by topology.kubernetes.io/zone"},
	},
	"fill": {
		"Fills the nodes of the cluster's picture with what is requested of a resource instead of cpu and memory. Without " +
			"one it is cpu and memory again. At the prompt it lists the nodes so. On the screen v does it in Cluster, from " +
			"resource to resource.",
		[]string{"fill nvidia.com/gpu", "fill memory", "fill"},
	},
	"theme": {"Draws the screen in the colours of a theme.", []string{"theme okabe-ito-light"}},
	"run":   {"Runs cycle after cycle until pause, a breakpoint or the end.", []string{"run"}},
	"pause": {"Stops a run after the cycle that is running.", []string{"pause"}},
	"speed": {"Sets how many cycles a run does in a second.", []string{"speed 16"}},
	"notes": {
		"Lists what could not be taken from the input as it is, and what the result does not take into account.",
		[]string{"notes"},
	},
	"help": {
		"Lists the commands, or explains one with examples. It also explains extension points, plugins and queues of " +
			"kube-scheduler.",
		[]string{"help", "help break", "help Filter", "help NodeResourcesFit"},
	},
	"quit": {"Ends the program. Nothing is saved.", []string{"quit"}},
}
