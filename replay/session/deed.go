package session

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// deed is a part of an Edit, as data: what it does, and with what.
type deed struct {
	Do     string         // a word of the table
	With   []string       // the words that it takes
	Object cluster.Object // of "replace" alone
	Course *course.Course // of "plan" alone
}

// pairs are amounts of resources as words, sorted.
func pairs(resources map[string]string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		all = append(all, name+"="+resources[name])
	}
	return all
}

// savedDeed is a deed in a file.
type savedDeed struct {
	Do     string          `json:"do"`
	With   []string        `json:"with,omitempty"`
	Kind   cluster.Kind    `json:"kind,omitempty"`
	Object json.RawMessage `json:"object,omitempty"`
	Course json.RawMessage `json:"course,omitempty"`
}

// save writes deeds; what may be private in objects and configurations is taken out.
func save(deeds []deed) ([]savedDeed, error) {
	all := make([]savedDeed, len(deeds))
	for i, d := range deeds {
		all[i] = savedDeed{Do: d.Do, With: d.With}
		if d.Do == "config" && len(d.With) == 2 {
			all[i].With = []string{"the configuration", string(config.Kept([]byte(d.With[1])))}
		}
		if d.Course != nil {
			text, err := d.Course.Save(recording.NewRedactor().Redact)
			if err != nil {
				return nil, phrase.Errorf("plan %s: %w", d.Course.Goal, err)
			}
			all[i].Course = text
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
	e := Edit{name: name}
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
		if d.Do == followed {
			c, err := course.Read(d.Course)
			if err != nil {
				return Edit{}, err
			}
			of.Course = c
		}
		if err := of.check(); err != nil {
			return Edit{}, err
		}
		e.deeds = append(e.deeds, of)
	}
	if len(e.deeds) == 0 {
		return Edit{}, phrase.Errorf("no edit")
	}
	return e, nil
}
