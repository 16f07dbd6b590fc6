package session

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/recording"
)

// deed is an Edit as data: what it does, and with what. An edit can be made again from its deeds.
type deed struct {
	Do     string         // a word of the table makers
	With   []string       // what the constructor of the edit takes
	Object cluster.Object // of "replace" alone
}

// did is an edit made of words.
func did(do string, with ...string) []deed { return []deed{{Do: do, With: with}} }

// of is the edit as what a deed makes.
func (e Edit) of(do string, with ...string) Edit {
	e.deeds = did(do, with...)
	return e
}

// maker makes an edit of the words of a deed.
type maker struct {
	takes int // words; one who takes any number more has a negative number
	edit  func(with []string) (Edit, error)
}

// plain is a maker that cannot fail.
func plain(takes int, edit func(with []string) Edit) maker {
	return maker{takes, func(with []string) (Edit, error) { return edit(with), nil }}
}

// makers are all deeds but "replace", which has an object.
var makers = map[string]maker{
	"bind":           plain(2, func(w []string) Edit { return Bind(w[0], w[1]) }),
	"cordon":         plain(1, func(w []string) Edit { return Cordon(w[0]) }),
	"uncordon":       plain(1, func(w []string) Edit { return Uncordon(w[0]) }),
	"taint":          plain(2, func(w []string) Edit { return Taint(w[0], w[1]) }),
	"label":          plain(2, func(w []string) Edit { return Label(w[0], w[1]) }),
	"add-node":       {-2, addNodeAgain},
	"delete-node":    plain(1, func(w []string) Edit { return DeleteNode(w[0]) }),
	"delete-pod":     plain(1, func(w []string) Edit { return DeletePod(w[0]) }),
	"drain":          plain(1, func(w []string) Edit { return Drain(w[0]) }),
	"evict":          plain(1, func(w []string) Edit { return Evict(w[0]) }),
	"request":        plain(4, func(w []string) Edit { return SetRequest(w[0], w[1], w[2], w[3]) }),
	"tolerate":       plain(2, func(w []string) Edit { return Tolerate(w[0], w[1]) }),
	"relax":          plain(3, func(w []string) Edit { return Relax(w[0], Wish(w[1]), w[2]) }),
	"priority":       {2, priorityAgain},
	"priority-class": plain(2, func(w []string) Edit { return SetPriorityClass(w[0], w[1]) }),
	"weight":         {2, weightAgain},
	"disable":        plain(1, func(w []string) Edit { return Disable(w[0]) }),
	"config":         plain(2, func(w []string) Edit { return SetConfig(w[0], w[1]) }),
	"release":        plain(1, func(w []string) Edit { return SetRelease(w[0]) }),
	"class":          plain(2, func(w []string) Edit { return SetClass(w[0], w[1]) }),
	"add-volume":     plain(1, func(w []string) Edit { return AddVolume(w[0]) }),
	"wake":           plain(1, func(w []string) Edit { return Wake(w[0]) }),
}

// edit is the edit that a deed makes.
func (d deed) edit() (Edit, error) {
	if d.Do == "replace" && d.Object != nil {
		return replaceAs(d.Object, d.With), nil
	}
	m, known := makers[d.Do]
	if !known {
		return Edit{}, phrase.Errorf("an edit %q is unknown to this build", d.Do)
	}
	if m.takes >= 0 && len(d.With) != m.takes || m.takes < 0 && len(d.With) < -m.takes {
		return Edit{}, phrase.Errorf("edit %s with %d words, which is not what it takes", d.Do, len(d.With))
	}
	return m.edit(d.With)
}

// pairs are amounts of resources as words, sorted.
func pairs(resources map[string]string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		all = append(all, name+"="+resources[name])
	}
	return all
}

func addNodeAgain(with []string) (Edit, error) {
	resources := map[string]string{}
	for _, pair := range with[2:] {
		name, amount, ok := strings.Cut(pair, "=")
		if !ok {
			return Edit{}, phrase.Errorf("edit add-node: %q is not RESOURCE=AMOUNT", pair)
		}
		resources[name] = amount
	}
	return AddNode(with[0], with[1], resources), nil
}

func priorityAgain(with []string) (Edit, error) {
	priority, err := strconv.ParseInt(with[1], 10, 32)
	if err != nil {
		return Edit{}, phrase.Errorf("edit priority: %q is no priority", with[1])
	}
	return SetPriority(with[0], int32(priority)), nil
}

func weightAgain(with []string) (Edit, error) {
	weight, err := strconv.ParseInt(with[1], 10, 64)
	if err != nil {
		return Edit{}, phrase.Errorf("edit weight: %q is no weight", with[1])
	}
	return SetWeight(with[0], weight), nil
}

// savedDeed is a deed in a file.
type savedDeed struct {
	Do     string          `json:"do"`
	With   []string        `json:"with,omitempty"`
	Kind   cluster.Kind    `json:"kind,omitempty"`
	Object json.RawMessage `json:"object,omitempty"`
}

// save writes deeds; what may be private in objects and configurations is taken out.
func save(deeds []deed) ([]savedDeed, error) {
	all := make([]savedDeed, len(deeds))
	for i, d := range deeds {
		all[i] = savedDeed{Do: d.Do, With: d.With}
		if d.Do == "config" && len(d.With) == 2 {
			all[i].With = []string{"the configuration", string(config.Kept([]byte(d.With[1])))}
		}
		if d.Object == nil {
			continue
		}
		kind, _ := cluster.KindOf(d.Object)
		text, err := json.Marshal(recording.NewRedactor().Redact(d.Object))
		if err != nil {
			return nil, phrase.Errorf("edit of %s %s: %w", kind, cluster.Key(d.Object), err)
		}
		all[i].Kind, all[i].Object = kind, text
	}
	return all, nil
}

// together is the edit that saved deeds make, named as its branch is.
func together(name string, deeds []savedDeed) (Edit, error) {
	edits := make([]Edit, 0, len(deeds))
	for _, d := range deeds {
		of := deed{Do: d.Do, With: d.With}
		if d.Do == "replace" {
			row := cluster.RowOf(d.Kind)
			if row == nil {
				return Edit{}, phrase.Errorf("an edit of the kind %q, which is unknown to this build", d.Kind)
			}
			of.Object = row.New()
			if err := strictly(d.Object, of.Object); err != nil {
				return Edit{}, phrase.Errorf("an edited %s: %w", d.Kind, err)
			}
		}
		e, err := of.edit()
		if err != nil {
			return Edit{}, err
		}
		edits = append(edits, e)
	}
	if len(edits) == 0 {
		return Edit{}, phrase.Errorf("no edit")
	}
	return Together(name, edits...), nil
}
