package command

import (
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
)

// lessonVerbs lead through a lesson. They are requests to the screen or the prompt.
func lessonVerbs() []Verb {
	return []Verb{
		{Name: "lesson", Does: "in a lesson: show its page", Request: RequestLesson},
		{
			Name: "page", Usage: "[back]", takes: []kind{ofNothing},
			Does: "in a lesson: open the next page, or the one before", Request: RequestPage,
		},
		{Name: "hint", Does: "in a lesson: show one more hint about the task", Request: RequestHint},
		{
			Name: "answer", Aliases: []string{"A"}, Usage: "TEXT", takes: []kind{ofPodOrNode},
			Does: "in a lesson: answer what the task asks", Request: RequestAnswer,
		},
		{Name: "again", Does: "in a lesson: begin the page again, with the cluster as it was", Request: RequestAgain},
		{
			Name: "sandbox", Does: "in a lesson: leave the page for its cluster, where nothing counts", Request: RequestSandbox,
		},
	}
}

// InLesson reports whether a verb is about lessons alone.
func InLesson(v Verb) bool { return isOne(v, lessonVerbs()) }

// InGame reports whether a verb is about the game alone.
func InGame(v Verb) bool { return isOne(v, predictVerbs()) }

func isOne(v Verb, of []Verb) bool {
	return slices.ContainsFunc(of, func(o Verb) bool { return o.Name == v.Name })
}

// Pages is how many pages the argument of page goes on; less than zero is back.
func Pages(argument string) (int, error) {
	switch argument {
	case "", "next":
		return 1, nil
	case "back":
		return -1, nil
	}
	return 0, phrase.Errorf("page: %q is neither next nor back", argument)
}

// NoLesson is why a verb about lessons does nothing where none is open.
func NoLesson(v Verb) error {
	return phrase.Errorf("%s: no lesson is open (schedstep learn lists them)", v.Name)
}
