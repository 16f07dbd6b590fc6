package session

// rows is the table of edits.
var rows = []EditKind{
	{
		Name: "cordon", Verb: "cordon", Usage: "NODE", Does: "what if: a node is unschedulable",
		Help: "Marks a node unschedulable, on a new branch.", Examples: []string{"cordon n1"},
		takes: 1, carry: func(c *change, d *deed) error { return c.cordon(d.With[0], true) },
	},
	{
		Name: "uncordon", Verb: "uncordon", Usage: "NODE", Does: "what if: a cordoned node is schedulable again",
		Help: "Makes a cordoned node schedulable again, on a new branch.", Examples: []string{"uncordon n1"},
		takes: 1, carry: func(c *change, d *deed) error { return c.cordon(d.With[0], false) },
	},
	{
		Name: "drain", Verb: "drain", Usage: "NODE", Does: "what if: a node is cordoned and its pods are created again",
		Help:     "Cordons a node and deletes its pods, on a new branch. Each pod is created again as pending.",
		Examples: []string{"drain n1"},
		takes:    1, carry: func(c *change, d *deed) error { return c.drain(d.With[0]) },
	},
	{
		Name: "taint", Verb: "taint", Usage: "NODE KEY[=VALUE]:EFFECT[-]",
		Does:     "what if: a node has a taint; a minus at the end removes it",
		Help:     "Adds a taint to a node, on a new branch. A minus at the end removes the taint.",
		Examples: []string{"taint n1 gpu=true:NoSchedule", "taint n1 gpu:NoSchedule-"},
		takes:    2, carry: func(c *change, d *deed) error { return c.taint(d.With[0], d.With[1]) },
	},
	{
		Name: "label", Verb: "label", Usage: "NODE|POD KEY=VALUE|KEY-",
		Does:     "what if: a node or pod has a label; a minus after the key removes it",
		Help:     "Sets a label of a node or a pod, on a new branch. A minus after the key removes the label.",
		Examples: []string{"label n1 zone=a", "label n1 zone-"},
		takes:    2, carry: func(c *change, d *deed) error { return c.label(d.With[0], d.With[1]) },
	},
	{
		Name: "add-node", Verb: "add-node", Usage: "NAME [like NODE] [RESOURCE=AMOUNT ...]",
		Does: "what if: there is one more node, a copy of another",
		Help: "Adds a node, on a new branch. It is a copy of another node with other resources if given. Unless it is " +
			"named, that is the first node without taints.",
		Examples: []string{"add-node n9 like n1", "add-node n9 like n1 cpu=16 memory=64Gi"},
		takes:    -2, carry: func(c *change, d *deed) error { return c.addNode(d.With[0], d.With[1], d.With[2:]) },
	},
	{
		Name: "delete-node", Verb: "delete", Usage: "NODE|POD", Does: "what if: a node or a pod is deleted",
		Help:     "Deletes a node or a pod, on a new branch. The pods of a deleted node are created again as pending.",
		Examples: []string{"delete n1", "delete web-3"},
		branch:   "delete", takes: 1, carry: func(c *change, d *deed) error { return c.deleteNode(d.With[0]) },
	},
	{
		Name: "delete-pod", Verb: "delete", branch: "delete",
		takes: 1, carry: func(c *change, d *deed) error { return c.deletePod(d.With[0]) },
	},
	{
		Name: "request", Verb: "set request", Usage: "POD RESOURCE=AMOUNT [CONTAINER]",
		Examples: []string{"set request web-3 cpu=500m"},
		takes:    4, carry: func(c *change, d *deed) error {
			return c.request(d.With[0], d.With[1], d.With[2], d.With[3])
		},
	},
	{
		Name: "priority", Verb: "set priority", Usage: "POD N|CLASS", Examples: []string{"set priority web-3 1000"},
		takes: 2, carry: func(c *change, d *deed) error { return c.priority(d.With[0], d.With[1]) },
	},
	{
		Name: "priority-class", Verb: "set priority", branch: "priority",
		takes: 2, carry: func(c *change, d *deed) error { return c.priorityClass(d.With[0], d.With[1]) },
	},
	{
		Name: "class", Verb: "set class", Usage: "CLAIM CLASS", Examples: []string{"set class default/data fast"},
		takes: 2, carry: func(c *change, d *deed) error { return c.class(d.With[0], d.With[1]) },
	},
	{
		Name: "default-class", Verb: "set default-class", Usage: "CLASS", Examples: []string{"set default-class fast"},
		takes: 1, carry: func(c *change, d *deed) error { return c.defaultClass(d.With[0]) },
	},
	{
		Name: "budget", Verb: "set budget", Usage: "BUDGET minAvailable=N|maxUnavailable=N",
		Examples: []string{"set budget default/db minAvailable=1"},
		takes:    2, carry: func(c *change, d *deed) error { return c.budget(d.With[0], d.With[1]) },
	},
	{
		Name: "weight", Verb: "set weight", Usage: "PLUGIN N", Examples: []string{"set weight ImageLocality 5"},
		takes: 2, carry: func(c *change, d *deed) error { return c.reweigh(d.With[0], d.With[1]) },
	},
	{
		Name: "disable", Verb: "set plugin", Usage: "NAME off", Examples: []string{"set plugin PodTopologySpread off"},
		branch: "plugin", takes: 1, carry: func(c *change, d *deed) error { return c.disable(d.With[0]) },
	},
	{
		Name: "config", Verb: "set config", Usage: "FILE", Examples: []string{"set config scheduler.yaml"},
		takes: 2, carry: func(c *change, d *deed) error { return c.config(d.With[0], d.With[1]) },
	},
	{
		Name: "release", Verb: "set release", Usage: "VERSION", Examples: []string{"set release 1.31"},
		takes: 1, carry: func(c *change, d *deed) error { return c.release(d.With[0]) },
	},
	{
		Name: "gates", Verb: "set gates", Usage: "GATE=true|false,...",
		Examples: []string{"set gates GenericWorkload=true"},
		takes:    1, carry: func(c *change, d *deed) error { return c.gates(d.With[0]) },
	},
	{
		Name: "tolerate", Verb: "tolerate", Usage: "POD KEY[=VALUE]:EFFECT",
		Does:     "what if: a pending pod tolerates a taint",
		Help:     "Has a pending pod tolerate a taint, on a new branch.",
		Examples: []string{"tolerate web-3 gpu=true:NoSchedule"},
		takes:    2, carry: func(c *change, d *deed) error { return c.tolerate(d.With[0], d.With[1]) },
	},
	{
		Name: "relax", Verb: "relax", Usage: "POD WISH [NAME]",
		Does: "what if: a selector, an affinity, a spread, a port or a gate of a pending pod is removed",
		Help: "Takes a wish away from a pending pod, on a new branch: selector with a key, node-affinity, pod-affinity, " +
			"pod-anti-affinity, spread (constraints become preferences), tainted-domains (spread constraints leave out the " +
			"nodes whose taints it does not tolerate), outside-domains (and those that its node affinity excludes), max-skew " +
			"with a topology key and a number, min-domains, port with a number, or gate with a name.",
		Examples: []string{"relax web-3 selector disktype", "relax web-3 spread", "relax web-3 gate example.com/quota"},
		takes:    3, carry: func(c *change, d *deed) error { return c.relax(d.With[0], Wish(d.With[1]), d.With[2]) },
	},
	{
		Name: "evict", Verb: "evict", Usage: "POD", Does: "what if: a pod is evicted from its node",
		Help: "Takes a pod off its node, on a new branch, and says so where the API server would refuse that for a " +
			"disruption budget. If a controller owns it, it is created again as pending.",
		Examples: []string{"evict db-2"},
		takes:    1, carry: func(c *change, d *deed) error { return c.evict(d.With[0], false) },
	},
	{ // of a change that is offered
		Name: "eviction", Verb: "evict", branch: "evict",
		takes: 1, carry: func(c *change, d *deed) error { return c.evict(d.With[0], true) },
	},
	{
		Name: "scale", Verb: "scale", Usage: "WORKLOAD REPLICAS", Does: "what if: a workload has fewer replicas",
		Help: "Has a workload have fewer replicas, on a new branch. Its controller deletes the pods that it misses least: " +
			"those without a node, not Ready, or young; a StatefulSet those with the highest numbers.",
		Examples: []string{"scale deploy/default/web 2"},
		takes:    2, carry: func(c *change, d *deed) error { return c.scale(d.With[0], d.With[1]) },
	},
	{
		Name: "wake", Verb: "wake", Usage: "POD",
		Does:     "what if: a pod that waits is tried at once, whatever the hints of plugins say",
		Help:     "Puts a pod that waits into activeQ, on a new branch. A scheduling gate still holds it back.",
		Examples: []string{"wake web-3"},
		takes:    1, carry: func(c *change, d *deed) error { return c.wake(d.With[0]) },
	},
	{
		Name: "add-volume", Verb: "add-volume", Usage: "CLAIM", Does: "what if: there is a volume for a claim",
		Help:     "Adds a volume for a claim that has none, on a new branch. It is reachable from every node.",
		Examples: []string{"add-volume default/data-0"},
		branch:   "volume", takes: 1, carry: func(c *change, d *deed) error { return c.addVolume(d.With[0]) },
	},
	{
		Name: "renew-keys", Verb: "renew-keys", Usage: "VOLUME",
		Does: "what if: a volume's node affinity has the labels of today in place of beta ones",
		Help: "Gives the node affinity of a PersistentVolume the keys that nodes have today, on a new branch: " +
			"topology.kubernetes.io/zone in place of failure-domain.beta.kubernetes.io/zone, and the like.",
		Examples: []string{"renew-keys pv-1"},
		takes:    1, carry: func(c *change, d *deed) error { return c.renewKeys(d.With[0]) },
	},
	{
		Name: "unresize", Verb: "unresize", Usage: "POD",
		Does: "what if: the resize of a pod that waits for room is taken back",
		Help: "Has a pod whose resize is deferred or infeasible request again what its containers have been given, on a " +
			"new branch.",
		Examples: []string{"unresize db-0"},
		takes:    1, carry: func(c *change, d *deed) error { return c.unresize(d.With[0]) },
	},
	{
		Name: followed, Verb: "plan", Usage: "[GOAL ...]",
		Does: "what if: a plan is carried out, with the cluster's controllers",
		Help: "Works out a plan for the cluster as it is here, as the command plan of the shell does it, and carries it " +
			"out on a new branch, where controllers, disruption budgets and kubelets do their part. GOAL is drain NODE..., " +
			"lose KEY=VALUE, upgrade NODE..., capacity WORKLOAD, room WORKLOAD or pack [NODE...], with the flags of that " +
			"command. Without a GOAL it lists the steps of the plan that is carried out here; plan next goes to the next step, " +
			"plan back to the one before.",
		Examples: []string{"plan drain n1", "plan lose zone=b --nodes stay", "plan room web --want 2", "plan"},
		takes:    -1, carry: (*change).follow,
	},
	{
		Name: "bind", Verb: "bind", takes: 2, carry: func(c *change, d *deed) error { return c.bind(d.With[0], d.With[1]) },
	},
	{Name: "replace", Verb: "edit", branch: "edit", takes: -1, carry: (*change).replace},
}
