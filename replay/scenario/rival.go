package scenario

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// rival is a scheduler beside the first: one of kube-scheduler's releases, or a program.
type rival struct {
	play.Declared
	line   int
	run    string // the command of a program; "": it is none
	script string // what the command is given to read; "": nothing
}

// ownWords are the words of a scheduler command that are not those of config.
func ownWords() []word[rival] {
	keep := func(into func(*rival) *string) func(string) (func(*rival), error) {
		return func(v string) (func(*rival), error) {
			return func(r *rival) { *into(r) = v }, nil
		}
	}
	return []word[rival]{
		{
			name: "release", value: "VERSION", does: "Its release of kube-scheduler; without it that of the first scheduler.",
			read: func(v string) (func(*rival), error) {
				if _, known := release.Find(v); !known {
					return nil, phrase.Errorf("%s: this build has the scheduler of %s", v, strings.Join(release.Versions(), ", "))
				}
				return func(r *rival) { r.Release = v }, nil
			},
		},
		{name: "gates", value: "NAME=true,...", does: "Its feature gates.", read: keep(func(r *rival) *string {
			return &r.Gates
		})},
		{
			name: "run", value: "COMMAND",
			does: "It is no kube-scheduler but a program, run with `sh -c`, or, where indented lines follow, as `COMMAND -c " +
				"LINES`. It reads {\"pods\": [...], \"nodes\": [...]} and writes Binding objects. It runs only with " +
				"`--allow-programs`.",
			read: keep(func(r *rival) *string { return &r.run }),
		},
	}
}

// readScheduler makes another scheduler of words or of a block.
func readScheduler(c *call) (action, []problem) {
	names, words, wrong := named(c, 1)
	if len(wrong) > 0 {
		return nil, wrong
	}
	if strings.Contains(names[0], "=") {
		return nil, []problem{{c.line, "scheduler wants the name of a scheduler before its words"}}
	}
	own := slices.DeleteFunc(slices.Clone(words), func(w token) bool { return !isOwn(w) })
	words = slices.DeleteFunc(slices.Clone(words), isOwn)
	made, wrong := readWords(own, ownWords(), nil)
	if len(wrong) > 0 {
		return nil, wrong
	}
	r := &rival{line: c.line, Declared: play.Declared{Name: names[0], Release: c.release.Version}}
	for _, change := range made.early {
		change(r)
	}
	nothing := func(*run) error { return nil }
	if r.run != "" {
		r.script = strings.Join(c.block, "\n")
		if len(words) > 0 || r.Gates != "" || slices.ContainsFunc(own, func(w token) bool { return isOf(w, "release") }) {
			return nil, []problem{{c.line, "a scheduler that is a program takes no word but run"}}
		}
		c.rival = r
		return nothing, nil
	}
	if len(words) > 0 || len(c.block) > 0 {
		decides, _ := release.Find(r.Release)
		inner := &call{line: c.line, words: words, block: c.block, release: decides, gates: r.Gates, plugins: c.plugins}
		if _, wrong = readConfig(inner); len(wrong) > 0 {
			return nil, wrong
		}
		r.Config = string(inner.config)
	}
	if _, err := r.Load(c.plugins); err != nil {
		return nil, []problem{{c.line, phrase.OnOneLine(err)}}
	}
	c.rival = r
	return nothing, nil
}

func isOwn(w token) bool { return isOf(w, "release") || isOf(w, "gates") || isOf(w, "run") }

func isOf(w token, name string) bool { return w.text == name || strings.HasPrefix(w.text, name+"=") }

// join adds a scheduler to those of an opening and returns what is wrong with it.
func (o *opening) join(r *rival) phrase.Text {
	for _, other := range o.rivals {
		if other.Name == r.Name {
			return phrase.Textf("scheduler %s is declared twice", r.Name)
		}
	}
	o.rivals = append(o.rivals, r)
	return ""
}

// declared are the schedulers beside the first that are no programs, in order.
func (o *opening) declared() []play.Declared {
	var all []play.Declared
	for _, r := range o.rivals {
		if r.run == "" {
			all = append(all, r.Declared)
		}
	}
	return all
}
