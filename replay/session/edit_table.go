package session

import "github.com/schedstep/schedstep/internal/phrase"

// EditKind is a row of the table of edits: one thing that a what-if does. The constructors of edits, what a saved
// session has of them, the verbs and their help come from it.
type EditKind struct {
	Name     string   // of the row, and of the edit in saved sessions
	Verb     string   // the words before the arguments: "cordon", "set weight"; "": no verb makes it by these words
	Usage    string   // what stands behind the verb: "NODE"
	Does     string   // in one line; "" where another row with the same verb has it, or where the verb is set
	Help     string   // a paragraph; likewise
	Examples []string // as they are typed

	branch string // what branches are named after; "": the name of the row
	takes  int    // words; at least so many where it is negative
	carry  func(*change, *deed) error
}

// EditKinds are the rows of the table, in the order in which help has them.
func EditKinds() []EditKind { return rows }

// table are the rows by name.
var table = byName(rows)

func byName(rows []EditKind) map[string]EditKind {
	all := make(map[string]EditKind, len(rows))
	for _, row := range rows {
		all[row.Name] = row
	}
	return all
}

// doing is the edit that a row makes of words.
func doing(name string, with ...string) Edit {
	branch := table[name].branch
	if branch == "" {
		branch = name
	}
	return Edit{branch, []deed{{Do: name, With: with}}}
}

// check reports a deed of a file that no row can carry out.
func (d *deed) check() error {
	row, known := table[d.Do]
	switch {
	case !known:
		return phrase.Errorf("an edit %q is unknown to this build", d.Do)
	case row.takes >= 0 && len(d.With) != row.takes || row.takes < 0 && len(d.With) < -row.takes:
		return phrase.Errorf("edit %s with %d words, which is not what it takes", d.Do, len(d.With))
	}
	return nil
}
