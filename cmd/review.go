package cmd

import (
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// review opens the task that was done longest ago, with the names of nodes dealt anew, and notes when it is done again.
func (f *learnFlags) review(
	c *cobra.Command, s Streams, course lesson.Course, progress lesson.Progress, file stateFile,
) error {
	today := lesson.Day(time.Now())
	due := progress.Due(course, today)
	if len(due) == 0 {
		return f.sayDue(c, s, 0)
	}
	first := due[0]
	drawn := fnv.New64a()
	fmt.Fprintln(drawn, today, first.Lesson.Name, first.Page)
	other := first.Lesson.Redrawn(c.Context(), playLine, drawn.Sum64())
	walk, err := other.At(c.Context(), playLine, f.language, first.Page)
	if err != nil {
		return err
	}
	page := walk.Standing().Page
	var alone sync.Mutex
	noted := false
	keep := func(now lesson.Standing) error {
		alone.Lock()
		defer alone.Unlock()
		if noted || !slices.Contains(now.Passed, page) {
			return nil
		}
		noted = true
		progress.Reviewed(first.Lesson.Name, page, today)
		return file.write(progress)
	}
	return f.show(c, s, walk, keep, "", func() error { return f.sayDue(c, s, len(progress.Due(course, today))) })
}

// sayDue prints how many tasks are worth doing again, and how.
func (f *learnFlags) sayDue(c *cobra.Command, s Streams, due int) error {
	w := lesson.WordsIn(f.language)
	said := w.Say("nothing-due")
	if due > 0 {
		said = w.Say("tasks-due", due, c.Root().DisplayName())
	}
	_, err := fmt.Fprintln(s.Out, said)
	return err
}
