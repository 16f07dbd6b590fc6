package lesson

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/internal/short"
)

// units are what an answer may be counted in, and how a learner may write it after a number, in any language.
var units = map[string][]string{
	"cpu":     {"cpu", "cpus", "core", "cores", "核", "个", "个 cpu", "个cpu"},
	"points":  {"point", "points", "分"},
	"nodes":   {"node", "nodes", "个", "个节点"},
	"pods":    {"pod", "pods", "个", "个 pod", "个pod"},
	"filters": {"filter", "filters", "plugin", "plugins", "个", "个插件"},
	"jobs":    {"job", "jobs", "个", "个作业"},
	"weight":  {"x", "times", "倍"},
}

// spans are seconds by the word for them.
var spans = map[string]float64{
	"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "秒": 1, "秒钟": 1,
	"m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "分": 60, "分钟": 60,
	"h": 3600, "hour": 3600, "hours": 3600, "小时": 3600,
}

// numerals are numbers in words.
var numerals = map[string]string{
	"no": "0", "none": "0", "zero": "0", "nothing": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5",
	"没有": "0", "零": "0", "一": "1", "两": "2", "二": "2", "三": "3", "四": "4", "五": "5",
}

// unitNames are the units that a lesson may name, sorted.
func unitNames() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(units)), "hours", "minutes", "seconds")))
}

// kinds are words that a learner may put before a name: pod/web and "node n1", as kubectl has it, in any language.
var kinds = regexp.MustCompile(`^(?:(?:pods?|po|nodes?|plugin|filter)(?:/|\s+)|(?:节点|插件|过滤器)\s*)(\S.*)$`)

// amount is a number in figures or words, and what follows it.
var amount = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?|[a-z]+|[没有零一两二三四五]+?)\s*(.*)$`)

// readings are what an answer may mean, as it is written first: 4000m and "4 CPU" are 4 where the unit is CPU, "300
// seconds" is 5 where it is minutes, "two" is 2, pod/web is web, and NodePort is NodePorts, as is Ports, which the
// screen shows for it.
func readings(answer, unit string) []string {
	text := strings.Trim(strings.ToLower(strings.TrimSpace(answer)), "`\"'.。“”")
	all := []string{strings.TrimPrefix(text, "default/")}
	if parts := kinds.FindStringSubmatch(text); parts != nil {
		all = append(all, strings.TrimPrefix(parts[1], "default/"))
	}
	for _, name := range slices.Clone(all) {
		all = append(all, name+"s", strings.TrimSuffix(name, "s"))
		if long := short.Long(name); long != "" {
			all = append(all, strings.ToLower(long))
		}
	}
	text = all[0]
	if n, known := numerals[text]; known {
		all = append(all, n)
	}
	if parts := amount.FindStringSubmatch(text); parts != nil {
		if n := counted(parts[1], strings.TrimSpace(parts[2]), unit); n != "" {
			all = append(all, n)
		}
	}
	if unit == "cpu" {
		if q, err := resource.ParseQuantity(text); err == nil {
			all = append(all, decimal(float64(q.MilliValue())/1000))
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// counted is a number followed by a word, in a unit; "" where the word means another one.
func counted(number, word, unit string) string {
	if n, known := numerals[number]; known {
		number = n
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return ""
	}
	if slices.Contains(units[unit], word) {
		return decimal(n)
	}
	of, isSpan := spans[unit]
	if is, known := spans[word]; known && isSpan {
		return decimal(n * is / of)
	}
	return ""
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
