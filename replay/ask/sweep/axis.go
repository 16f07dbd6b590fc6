package sweep

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

// The keys of settings. A key that ends in a dot has a name behind it.
const (
	KubeVersion = "kube-version" // the release of kube-scheduler that decides
	Config      = "config"       // a file with a KubeSchedulerConfiguration
	Gate        = "gate."        // a feature gate: true or false
	Weight      = "weight."      // what a score plugin counts for: 1 or more
	Percentage  = "percentage"   // percentage of nodes to score: 0 to 100
	Order       = "order"        // in which pods arrive
	Nodes       = "nodes."       // how many nodes like the named one are added before the first cycle
	Drain       = "drain"        // a node, or KEY=VALUE of a label: drained before the first cycle
	Lose        = "lose"         // likewise: deleted before the first cycle
	Do          = "do"           // commands that are carried out before the first cycle, as whatif --do takes them
	seedKey     = "seed"         // decides what kube-scheduler leaves to chance
)

// The orders in which pods arrive.
const (
	reversed   = "reversed"
	shuffled   = "shuffled" // by the seed of the run
	largeFirst = "large-first"
	smallFirst = "small-first"
)

// orders are the values of Order.
func orders() []string { return []string{reversed, shuffled, largeFirst, smallFirst} }

// Keys are those that an axis may have; a key that ends in a dot wants a name behind it.
func Keys() []string {
	return []string{KubeVersion, Config, Gate, Weight, Percentage, Order, Nodes, Drain, Lose, Do, seedKey}
}

// Axis is one thing that is varied, and the values it takes, in order and each once.
type Axis struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// ParseAxis reads KEY=V1,V2. A value of whole numbers may be a range: 1..5, or 1..9..2 for every second. - leaves the
// input as it is. Values of do are divided by | because commands have commas.
func ParseAxis(text string) (Axis, error) {
	key, list, found := strings.Cut(text, "=")
	if !found || key == "" || list == "" {
		return Axis{}, phrase.Errorf("%q is neither a file nor KEY=VALUE,VALUE", text)
	}
	divider := ","
	if key == Do {
		divider = "|"
	}
	return newAxis(key, strings.Split(list, divider))
}

// newAxis checks a key and its values.
func newAxis(key string, values []string) (Axis, error) {
	if err := checkKey(key); err != nil {
		return Axis{}, err
	}
	a, seen := Axis{Key: key}, map[string]bool{}
	for _, value := range values {
		all, err := valuesOf(key, strings.TrimSpace(value))
		if err != nil {
			return Axis{}, err
		}
		for _, v := range all {
			if seen[v] {
				return Axis{}, phrase.Errorf("%s: %s stands there twice", key, v)
			}
			seen[v] = true
			a.Values = append(a.Values, v)
		}
	}
	if len(a.Values) == 0 {
		return Axis{}, phrase.Errorf("%s: it has no value", key)
	}
	return a, nil
}

func checkKey(key string) error {
	for _, known := range Keys() {
		name, named := strings.CutPrefix(key, known)
		switch {
		case key == known && !strings.HasSuffix(known, "."):
			return nil
		case named && strings.HasSuffix(known, ".") && name != "":
			return nil
		case key == strings.TrimSuffix(known, ".") || key == known:
			return phrase.Errorf("%s needs a name behind it (%sNAME=...)", key, known)
		}
	}
	return phrase.Errorf("there is no setting %s%s; settings are %s", key, spelling.Hint(key, Keys()),
		strings.Join(Keys(), ", "))
}

// mostValues is how many values a range may have.
const mostValues = 100_000

// valuesOf are what one written value stands for.
func valuesOf(key, value string) ([]string, error) {
	kind, name, dotted := strings.Cut(key, ".")
	if dotted {
		kind += "."
	}
	switch {
	case value == AsItIs && key != seedKey:
		return []string{value}, nil
	case value == "":
		return nil, phrase.Errorf("%s: a value is empty (%s leaves the input as it is)", key, AsItIs)
	}
	switch kind {
	case Weight:
		return numbers(key, value, 1, 1<<31-1)
	case Percentage:
		return numbers(key, value, 0, 100)
	case Nodes:
		return numbers(key, value, 0, 100_000)
	case seedKey:
		return numbers(key, value, 0, 1<<62)
	case Gate:
		if on, err := strconv.ParseBool(value); err == nil {
			return []string{strconv.FormatBool(on)}, nil
		}
		return nil, phrase.Errorf("%s: %q is neither true nor false", kind+name, value)
	case Order:
		if !slices.Contains(orders(), value) {
			return nil, phrase.Errorf("%s: there is no order %s; it is %s", key, value, strings.Join(orders(), ", "))
		}
	}
	return []string{value}, nil
}

// numbers are a whole number or a range of them.
func numbers(key, value string, least, most int64) ([]string, error) {
	parts := strings.Split(value, "..")
	bounds := make([]int64, len(parts))
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || len(parts) > 3 {
			return nil, phrase.Errorf("%s: %q is neither a whole number nor a range (1..5, 1..9..2)", key, value)
		}
		bounds[i] = n
	}
	from, to, stride := bounds[0], bounds[0], int64(1)
	if len(bounds) > 1 {
		to = bounds[1]
	}
	if len(bounds) > 2 {
		stride = bounds[2]
	}
	switch {
	case from < least || to > most:
		return nil, phrase.Errorf("%s: %s: it is from %d to %d", key, value, least, most)
	case to < from || stride < 1:
		return nil, phrase.Errorf("%s: %s: the range is empty", key, value)
	case (to-from)/stride >= mostValues:
		return nil, phrase.Errorf("%s: %s: a range has %d values at the most", key, value, mostValues)
	}
	var all []string
	for n := from; n <= to; n += stride {
		all = append(all, strconv.FormatInt(n, 10))
	}
	return all, nil
}

// ReadAxes reads a YAML file of axes, in its order: a member vary with a list of values for each key. source is the
// name of the file.
func ReadAxes(text []byte, source string) ([]Axis, error) {
	var document struct {
		Vary yaml.Node `yaml:"vary"`
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, phrase.Errorf("%s: %w", source, err)
	}
	if document.Vary.Kind != yaml.MappingNode || len(document.Vary.Content) == 0 {
		return nil, phrase.Errorf("%s: it needs a member vary, which has a list of values for each setting", source)
	}
	var axes []Axis
	for i := 0; i+1 < len(document.Vary.Content); i += 2 {
		key, value := document.Vary.Content[i], document.Vary.Content[i+1]
		values, err := scalars(value)
		if err != nil {
			return nil, phrase.Errorf("%s line %d: %s: %w", source, value.Line, key.Value, err)
		}
		a, err := newAxis(key.Value, values)
		if err != nil {
			return nil, phrase.Errorf("%s line %d: %w", source, key.Line, err)
		}
		axes = append(axes, a)
	}
	return axes, nil
}

// scalars are the values of a list, or of one value alone; null is AsItIs.
func scalars(n *yaml.Node) ([]string, error) {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	values := make([]string, len(nodes))
	for i, node := range nodes {
		if node.Kind != yaml.ScalarNode {
			return nil, phrase.Errorf("line %d is no plain value", node.Line)
		}
		if values[i] = node.Value; node.Tag == "!!null" {
			values[i] = AsItIs
		}
	}
	return values, nil
}

// isNumber reports whether the values of a key are whole numbers.
func isNumber(key string) bool {
	kind, _, dotted := strings.Cut(key, ".")
	return dotted && (kind+"." == Weight || kind+"." == Nodes) || key == Percentage
}
