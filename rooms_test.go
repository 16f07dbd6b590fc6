package house_test

// mayImport is the table of the house: each package of the module, and the packages of ours that it imports, in the
// order of the alphabet. Both sides are whole names: "core" is the package core alone, not what lies below it. A
// name with an @ is one of lists. A package that its row does not name fails the test, and so does a name that the
// package does not import. A question needs no row: it may import what is in the list @question.
var mayImport = map[string][]string{
	"core":         {"core/cluster", "core/column", "core/framework", "core/queue", "core/trace"},
	"core/cluster": {"core/trace"},
	"core/column":  {"core/cluster", "core/framework", "core/trace"},
	"core/config": {
		"core/cluster", "core/former", "core/former/nodelabel", "core/former/serviceaffinity", "core/framework",
		"core/plugins/defaultbinder", "core/plugins/defaultpreemption", "core/plugins/dynamicresources",
		"core/plugins/gangscheduling", "core/plugins/imagelocality", "core/plugins/interpodaffinity",
		"core/plugins/nodeaffinity", "core/plugins/nodedeclaredfeatures", "core/plugins/nodename",
		"core/plugins/nodeports", "core/plugins/noderesources", "core/plugins/nodeunschedulable",
		"core/plugins/nodevolumelimits", "core/plugins/podgrouppodscount", "core/plugins/podtopologyspread",
		"core/plugins/queuesort", "core/plugins/schedulinggates", "core/plugins/tainttoleration",
		"core/plugins/topologyaware", "core/plugins/volumebinding", "core/plugins/volumerestrictions",
		"core/plugins/volumezone", "core/preemption", "core/queue", "core/release",
	},
	"core/former": {
		"core/former/nodelabel", "core/former/nodepreferavoidpods", "core/former/predicates", "core/former/priorities",
		"core/former/selectorspread", "core/former/serviceaffinity", "core/framework", "core/plugins/interpodaffinity",
		"core/plugins/nodeaffinity", "core/plugins/nodename", "core/plugins/nodeports", "core/plugins/noderesources",
		"core/plugins/queuesort", "core/plugins/tainttoleration", "core/plugins/volumebinding",
		"core/plugins/volumerestrictions", "core/release",
	},
	"core/former/nodelabel":           {"core/cluster", "core/framework", "core/trace"},
	"core/former/nodepreferavoidpods": {"core/cluster", "core/framework", "core/trace"},
	"core/former/predicates":          {"core/cluster", "core/framework", "core/trace"},
	"core/former/priorities":          {"core/cluster", "core/framework", "core/trace"},
	"core/former/roundrobin":          {"core/framework", "core/trace"},
	"core/former/selectorspread":      {"core/cluster", "core/framework", "core/trace"},
	"core/former/serviceaffinity":     {"core/cluster", "core/framework", "core/trace"},
	"core/framework":                  {"core/cluster", "core/queue", "core/trace"},
	"core/plugins/admission": {
		"core/cluster", "core/framework", "core/plugins/nodeports", "core/plugins/noderesources",
		"core/plugins/podtopologyspread", "core/queue",
	},
	"core/plugins/defaultbinder":        {"core/cluster", "core/framework", "core/trace"},
	"core/plugins/defaultpreemption":    {"@plugin", "core/preemption"},
	"core/plugins/dynamicresources":     {"@plugin"},
	"core/plugins/gangscheduling":       {"@plugin"},
	"core/plugins/imagelocality":        {"core/cluster", "core/framework", "core/trace"},
	"core/plugins/interpodaffinity":     {"@plugin"},
	"core/plugins/nodeaffinity":         {"@plugin"},
	"core/plugins/nodedeclaredfeatures": {"@plugin"},
	"core/plugins/nodename":             {"@plugin"},
	"core/plugins/nodeports":            {"@plugin"},
	"core/plugins/noderesources":        {"@plugin"},
	"core/plugins/nodeunschedulable":    {"@plugin"},
	"core/plugins/nodevolumelimits":     {"@plugin"},
	"core/plugins/podgrouppodscount":    {"core/cluster", "core/framework", "core/trace"},
	"core/plugins/podtopologyspread":    {"@plugin"},
	"core/plugins/queuesort":            {"core/queue"},
	"core/plugins/schedulinggates":      {"@plugin"},
	"core/plugins/tainttoleration":      {"@plugin"},
	"core/plugins/topologyaware":        {"core/cluster", "core/framework", "core/trace"},
	"core/plugins/volumebinding":        {"@plugin"},
	"core/plugins/volumerestrictions":   {"@plugin"},
	"core/plugins/volumezone":           {"@plugin"},
	"core/preemption":                   {"core/cluster", "core/framework", "core/trace"},
	"core/queue":                        {"core/cluster", "core/trace"},
	"core/release": {
		"core/cluster", "core/former/predicates", "core/former/priorities", "core/former/roundrobin", "core/framework",
		"core/plugins/admission", "core/plugins/defaultpreemption", "core/plugins/dynamicresources",
		"core/plugins/imagelocality", "core/plugins/interpodaffinity", "core/plugins/nodeaffinity",
		"core/plugins/nodename", "core/plugins/noderesources", "core/plugins/nodevolumelimits",
		"core/plugins/podtopologyspread", "core/plugins/tainttoleration", "core/plugins/volumebinding",
		"core/plugins/volumerestrictions", "core/plugins/volumezone", "core/queue", "core/trace",
	},
	"core/trace": {},

	"replay/ask":        {"replay/ask/prose", "replay/ask/workload", "replay/session"},
	"replay/ask/bisect": {"core/trace", "replay/ask/diff", "replay/play"},
	"replay/ask/diff":   {"core", "core/cluster", "core/queue", "core/trace", "replay/play", "replay/session/room"},
	"replay/ask/page":   {},
	"replay/ask/plan": {
		"core/cluster", "core/framework", "core/trace", "replay/play", "replay/play/course", "replay/play/manager",
		"replay/play/owner", "replay/play/request", "replay/session",
	},
	"replay/ask/prose": {
		"core/cluster", "core/queue", "core/trace", "replay/ask/diff", "replay/ask/remedy", "replay/ask/workload",
		"replay/play/compare", "replay/play/owner", "replay/session", "replay/session/inside", "replay/session/room",
	},
	"replay/ask/reduce": {
		"core/cluster", "core/config", "core/trace", "replay/ask/diff", "replay/play", "replay/play/input",
		"replay/source", "replay/source/importer/admission",
	},
	"replay/ask/remedy": {
		"core/cluster", "core/queue", "core/trace", "replay/play", "replay/play/owner", "replay/play/request",
		"replay/session",
	},
	"replay/ask/report": {
		"core", "core/cluster", "core/queue", "core/trace", "internal/expression", "replay/ask/page", "replay/play",
		"replay/session/room", "replay/session/trend",
	},
	"replay/ask/sweep": {
		"core", "core/cluster", "core/trace", "internal/disk", "internal/expression", "replay/ask/diff", "replay/ask/page",
		"replay/ask/report", "replay/play", "replay/session/room", "replay/source",
	},
	"replay/ask/sweep/job": {},
	"replay/ask/table":     {"replay/ask", "@questions"},
	"replay/ask/workload": {
		"core/cluster", "core/trace", "replay/ask/remedy", "replay/play", "replay/play/manager", "replay/play/owner",
		"replay/play/request", "replay/session",
	},

	"replay/learn/class":    {"internal/bounded", "internal/disk", "replay/learn/lesson", "replay/learn/predict"},
	"replay/learn/glossary": {"replay/learn/lesson"},
	"replay/learn/lesson": {
		"core", "core/trace", "internal/disk", "internal/short", "replay/learn/stage", "replay/play", "replay/play/input",
		"replay/session",
	},
	"replay/learn/narrator": {"core/trace", "replay/ask/prose", "replay/learn/lesson", "replay/session"},
	"replay/learn/predict":  {"core/trace", "replay/ask/prose", "replay/learn/lesson", "replay/session"},
	"replay/learn/stage": {
		"core/config", "core/release", "core/trace", "replay/play/input", "replay/session", "replay/source/extender",
	},

	"replay/play": {"core", "core/cluster", "core/config", "core/release", "core/trace", "replay/source"},
	"replay/play/compare": {
		"core", "core/cluster", "core/framework", "core/queue", "core/trace", "replay/play", "replay/source",
	},
	"replay/play/course": {
		"core/cluster", "core/trace", "replay/play", "replay/play/manager", "replay/play/owner", "replay/play/request",
	},
	"replay/play/input": {
		"core", "core/cluster", "core/config", "core/framework", "core/release", "core/trace", "internal/bounded",
		"replay/play", "replay/play/compare", "replay/scenario", "replay/source", "replay/source/audit",
		"replay/source/demo", "replay/source/etcd", "replay/source/history", "replay/source/importer",
		"replay/source/importer/admission", "replay/source/importer/templates", "replay/source/recording",
		"replay/source/schedulerlog",
	},
	"replay/play/manager": {
		"core/cluster", "replay/play", "replay/play/owner", "replay/play/request", "replay/source/importer",
		"replay/source/importer/admission", "replay/source/importer/templates",
	},
	"replay/play/owner":   {"core/cluster", "replay/play/request"},
	"replay/play/request": {"core/cluster"},
	"replay/play/slice":   {"core/cluster", "core/trace", "replay/play", "replay/source"},

	"replay/scenario": {
		"core", "core/cluster", "core/config", "core/framework", "core/queue", "core/release", "core/trace", "replay/play",
		"replay/source", "replay/source/importer", "replay/source/importer/admission",
	},

	"replay/session": {
		"core", "core/cluster", "core/config", "core/framework", "core/queue", "core/release", "core/trace",
		"internal/expression", "replay/play", "replay/play/compare", "replay/play/course", "replay/play/owner",
		"replay/play/request", "replay/session/cause", "replay/session/inside", "replay/session/lint", "replay/session/room",
		"replay/session/trend", "replay/source", "replay/source/recording",
	},
	"replay/session/cause":  {"core/cluster", "core/queue", "core/trace", "replay/play/owner"},
	"replay/session/inside": {"core/cluster"},
	"replay/session/lint":   {"core/cluster"},
	"replay/session/room":   {"core/cluster", "core/trace"},
	"replay/session/trend":  {"core/cluster", "core/trace", "replay/play", "replay/session/room"},

	"replay/source": {"core", "core/cluster"},
	"replay/source/audit": {
		"core/cluster", "replay/source/history", "replay/source/importer", "replay/source/importer/text",
	},
	"replay/source/demo":     {},
	"replay/source/etcd":     {"core/cluster", "replay/source/history", "replay/source/importer"},
	"replay/source/extender": {"core/cluster", "core/config", "core/framework", "internal/bounded"},
	"replay/source/history": {
		"core/cluster", "core/trace", "replay/source/importer", "replay/source/importer/admission",
	},
	"replay/source/importer":           {"core/cluster", "replay/source/importer/diagnose", "replay/source/importer/text"},
	"replay/source/importer/admission": {"core/cluster", "replay/source/importer"},
	"replay/source/importer/diagnose":  {"replay/source/importer/text"},
	"replay/source/importer/templates": {"core/cluster", "replay/source/importer"},
	"replay/source/importer/text":      {},
	"replay/source/live": {
		"core", "core/cluster", "replay/source", "replay/source/importer", "replay/source/recording",
	},
	"replay/source/live/metrics": {"core/trace"},
	"replay/source/outside":      {},
	"replay/source/recording":    {"core/cluster", "core/config"},
	"replay/source/schedulerlog": {},

	"themes": {},
	"tui/classroom": {
		"replay/learn/class", "replay/learn/lesson", "replay/learn/predict", "replay/session", "serve", "themes",
		"tui/command", "tui/layout", "tui/screen", "tui/widget",
	},
	"tui/command": {
		"core", "core/cluster", "core/trace", "internal/bounded", "internal/disk", "replay/ask", "replay/ask/diff",
		"replay/ask/page", "replay/ask/plan", "replay/ask/prose", "replay/ask/remedy", "replay/ask/report",
		"replay/ask/table", "replay/ask/workload", "replay/learn/predict", "replay/play", "replay/play/course",
		"replay/session", "replay/session/room", "tui/view", "tui/widget",
	},
	"tui/editor": {},
	"tui/layout": {},
	"tui/panel": {
		"core/trace", "replay/ask/prose", "replay/learn/lesson", "replay/learn/narrator", "replay/session",
		"replay/session/room", "themes", "tui/layout", "tui/view", "tui/widget",
	},
	"tui/picture": {"tui/layout"},
	"tui/prompt": {
		"replay/ask/prose", "replay/learn/lesson", "replay/learn/narrator", "replay/learn/predict", "replay/session",
		"tui/command", "tui/editor", "tui/widget",
	},
	"tui/screen": {
		"core/trace", "replay/ask", "replay/ask/table", "replay/ask/workload", "replay/learn/lesson",
		"replay/learn/predict", "replay/session", "themes", "tui/command", "tui/editor", "tui/layout", "tui/panel",
		"tui/picture", "tui/view", "tui/widget",
	},
	"tui/view": {
		"core/trace", "internal/short", "replay/ask/prose", "replay/session", "replay/session/room", "replay/session/trend",
		"tui/widget",
	},
	"tui/widget": {"themes", "tui/layout"},

	"cmd": {
		"core", "core/cluster", "core/config", "core/queue", "core/release", "core/trace", "internal/bounded",
		"internal/bucket", "internal/builder", "internal/disk", "replay/ask/bisect", "replay/ask/diff",
		"replay/ask/explain", "replay/ask/page", "replay/ask/plan", "replay/ask/prose", "replay/ask/reduce",
		"replay/ask/remedy", "replay/ask/report", "replay/ask/sweep", "replay/ask/sweep/job", "replay/ask/workload",
		"replay/learn/class", "replay/learn/glossary", "replay/learn/lesson", "replay/learn/predict", "replay/play",
		"replay/play/compare", "replay/play/course", "replay/play/input", "replay/play/manager", "replay/play/slice",
		"replay/session", "replay/session/cause", "replay/session/lint", "replay/source", "replay/source/demo",
		"replay/source/extender",
		"replay/source/importer/admission", "replay/source/importer/templates", "replay/source/live",
		"replay/source/live/metrics", "replay/source/outside", "replay/source/recording", "serve", "themes",
		"tui/classroom", "tui/command", "tui/prompt", "tui/screen", "tui/widget",
	},
	"cmd/kubectl-schedstep": {"cmd"},
	"cmd/playground": {
		"core/trace", "replay/learn/lesson", "replay/learn/stage", "replay/play/input", "replay/session",
		"replay/source/demo", "tui/command", "tui/prompt",
	},
	"cmd/schedstep": {"cmd"},
	"serve":         {"internal/bounded", "internal/disk"},

	"internal/address":    {},
	"internal/amount":     {},
	"internal/apiserver":  {"core/cluster"},
	"internal/bounded":    {},
	"internal/bucket":     {"internal/disk"},
	"internal/build":      {"core/cluster", "core/framework", "core/queue", "core/trace"},
	"internal/builder":    {},
	"internal/disk":       {},
	"internal/dist":       {},
	"internal/expression": {},
	"internal/golden":     {},
	"internal/image":      {},
	"internal/law":        {},
	"internal/phrase":     {},
	"internal/pictures": {
		"core/config", "core/trace", "replay/learn/lesson", "replay/play/input", "replay/session", "replay/source/demo",
		"tui/layout", "tui/picture", "tui/prompt", "tui/screen",
	},
	"internal/playground": {},
	"internal/pty":        {},
	"internal/s3server":   {},
	"internal/short":      {},
	"internal/spelling":   {},
	"internal/versions": {
		"core/cluster", "core/config", "core/trace", "replay/play", "replay/play/input", "replay/source",
	},
	"internal/wal":   {},
	"internal/words": {},
}

// lists are names that rows share. A name that no row with the list imports fails the test. The list @questions comes
// from the folders below replay/ask, so that table lists each of them.
var lists = map[string][]string{
	"@question": {
		"core", "core/cluster", "core/queue", "core/trace", "replay/ask", "replay/ask/prose", "replay/ask/remedy",
		"replay/ask/workload", "replay/play", "replay/session", "replay/session/room",
	},
	"@questions": nil,
	"@plugin":    {"core/cluster", "core/framework", "core/queue", "core/trace"},
}

// tools are packages that each other package may import, and that a row does not name.
var tools = []string{"internal/address", "internal/amount", "internal/phrase", "internal/spelling", "internal/words"}
