package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/learn/glossary"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/prompt"
	"github.com/schedstep/schedstep/tui/screen"
)

// learnFlags are those of learn.
type learnFlags struct {
	folder   string // of lessons; "": those that come with schedstep
	language string
	check    bool
	reset    bool
	again    bool // tasks that were done some days ago
	glossary bool
	screen   screenFlags
}

func learnCommand(s Streams) *cobra.Command {
	f := &learnFlags{}
	c := &cobra.Command{
		Use:   "learn [LESSON]",
		Short: "Learn how kube-scheduler works, in lessons with tasks that are checked",
		Long: `learn lists the lessons and how far you are; with LESSON, a number or a name, it opens one on
the screen: pages to read beside a scheduler to work with, and tasks that are checked. No
cluster and no files are needed. How far you are is kept in your folder of states
(XDG_STATE_HOME).

--review opens a task that you did some days ago: after 3 days, and then after 7, 21 and 60.

--glossary prints where kube-scheduler does what: files and functions in five releases, or
those that have LESSON, any word, in them.

--check plays every lesson of a folder and names with file and line what is wrong with it
(docs/lessons.md is the format).`,
		Example: "  schedstep learn\n  schedstep learn 1\n  schedstep learn --glossary filter\n" +
			"  schedstep learn --lessons ./ours --check",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{phrase.Errorf("%s takes one LESSON, got %q", c.CommandPath(), args)}
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			course, _ := f.course()
			return course.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, s, args) },
	}
	c.Flags().StringVar(&f.folder, "lessons", "", "a `folder` with lessons of your own, in place of those that come along")
	c.Flags().StringVar(&f.language, "lang", "", textLessonsIn)
	c.Flags().BoolVar(&f.check, "check", false, "find what is wrong with the lessons of a folder")
	c.Flags().BoolVar(&f.reset, "reset", false, "forget how far you are: in LESSON, or in all")
	c.Flags().BoolVar(&f.again, "review", false, "do a task again that you did some days ago")
	c.Flags().BoolVar(&f.glossary, "glossary", false, "print where kube-scheduler does what, release by release")
	offer(c, "lang", lesson.Languages())
	f.screen.addLooks(c)
	return c
}

// course reads the lessons of --lessons, or those that come with schedstep.
func (f *learnFlags) course() (lesson.Course, error) {
	if f.folder == "" {
		return lesson.Embedded()
	}
	return lesson.Read(os.DirFS(f.folder), f.folder)
}

func (f *learnFlags) run(c *cobra.Command, s Streams, args []string) error {
	if f.check && len(args) > 0 {
		f.folder, args = args[0], nil
	}
	if err := f.screen.check(); err != nil {
		return err
	}
	if f.glossary {
		if err := chooseLanguage(&f.language, nil); err != nil {
			return err
		}
		return printGlossary(s, strings.Join(args, " "), f.language)
	}
	course, err := f.course()
	var mistakes lesson.Mistakes
	if errors.As(err, &mistakes) {
		return refuseLessons(s, mistakes, languageOf(c))
	}
	if err != nil {
		return err
	}
	if err := chooseLanguage(&f.language, course); err != nil {
		return err
	}
	if f.check {
		return checkCourse(c.Context(), s, course, words.LanguageIn(f.language))
	}
	file, err := progressFile()
	if err != nil {
		return err
	}
	progress, err := file.read()
	if err != nil && !f.reset {
		return err
	}
	if len(args) == 0 && f.reset {
		return file.write(lesson.Progress{})
	}
	if f.again {
		return f.review(c, s, course, progress, file)
	}
	if len(args) == 0 {
		return listLessons(s, c.Root().DisplayName(), course, progress, f.language)
	}
	l, err := course.Find(args[0])
	if err != nil {
		return usageError{err}
	}
	if f.reset {
		delete(progress, l.Name)
		return file.write(progress)
	}
	return f.open(c, s, course, l, progress, file)
}

// chooseLanguage takes the language of the environment unless the user gives one. It refuses a language in which the
// lessons have no text.
func chooseLanguage(asked *string, course lesson.Course) error {
	if *asked == "" {
		*asked = words.LanguageOf(os.Getenv).String()
	}
	if all := course.Languages(); !slices.Contains(all, *asked) {
		return usageError{phrase.Errorf(
			"--lang %s: the lessons have no text in it (use one of %s)", *asked, strings.Join(all, ", "),
		)}
	}
	return nil
}

// open opens a lesson where the learner was.
func (f *learnFlags) open(
	c *cobra.Command, s Streams, course lesson.Course, l *lesson.Lesson, progress lesson.Progress, file stateFile,
) error {
	walk, err := progress.Begin(c.Context(), l, playLine, f.language)
	if err != nil {
		return err
	}
	var alone sync.Mutex
	keep := func(now lesson.Standing) error {
		alone.Lock()
		defer alone.Unlock()
		progress.Keep(l.Name, now, lesson.Day(time.Now()))
		return file.write(progress)
	}
	next := ""
	if after := course.After(l); after != nil {
		next = after.Name
	}
	return f.show(c, s, walk, keep, next, func() error {
		return listLessons(s, c.Root().DisplayName(), course, progress, f.language)
	})
}

// show leads through a lesson on the screen, or at the prompt. What comes after is printed when it is left.
func (f *learnFlags) show(
	c *cobra.Command, s Streams, walk *lesson.Walk, keep func(lesson.Standing) error, next string, after func() error,
) error {
	said, opened := lesson.WordsIn(f.language), time.Now()
	since := func() time.Duration { return time.Since(opened) }
	if f.screen.plain || !onTerminal(s) {
		learning := prompt.Learning{Words: said, Keep: keep, Since: since}
		if err := prompt.Learn(c.Context(), walk, learning, s.In, s.Out); err != nil {
			return err
		}
		fmt.Fprintln(s.Out)
		return after()
	}
	options := f.screen.options()
	options.Class = &screen.Class{Walk: walk, Words: said, Keep: keep, Since: since, Next: next}
	err := onWindow(s, func() error { return screen.Run(c.Context(), walk.Session(), options) })
	if err := errors.Join(err, keep(walk.Standing())); err != nil {
		return err
	}
	fmt.Fprintln(s.Out)
	return after()
}

// playLine runs one command of a lesson, which prints nothing and reaches no file and no cluster.
func playLine(ctx context.Context, s *session.Session, line string) error {
	return prompt.CarryOut(ctx, s, line, 0, io.Discard)
}

// checkCourse plays every lesson.
func checkCourse(ctx context.Context, s Streams, course lesson.Course, lang words.Language) error {
	var wrong []error
	for _, l := range course {
		mistakes := l.Check(ctx, playLine)
		wrong = append(wrong, mistakes...)
		said := lang.Of("no mistakes")
		if len(mistakes) > 0 {
			said = lang.Count(len(mistakes), "mistake")
		}
		tasks := lang.Count(len(l.Tasks()), "task")
		if _, err := fmt.Fprintf(s.Out, "%-24s %-8s  %s\n", clean(l.Name), tasks, said); err != nil {
			return err
		}
	}
	return refuseLessons(s, wrong, lang)
}

// refuseLessons prints mistakes line by line.
func refuseLessons(s Streams, wrong []error, lang words.Language) error {
	for _, err := range wrong {
		fmt.Fprintln(s.Err, clean(lang.Error(err)))
	}
	if len(wrong) == 0 {
		return nil
	}
	if len(wrong) == 1 {
		return phrase.Errorf("the lessons have 1 mistake")
	}
	return phrase.Errorf("the lessons have %d mistakes", len(wrong))
}

const widthOfTitles = 46

// listLessons prints the lessons, the learner's progress in each, and how to go on.
func listLessons(s Streams, name string, course lesson.Course, progress lesson.Progress, language string) error {
	w := lesson.WordsIn(language)
	next, begun := 0, false
	for i, l := range course {
		done, of := progress.Of(l)
		mark := " "
		if done == of {
			mark = "✔"
		} else if next == 0 {
			next = i + 1
		}
		begun = begun || done > 0
		if l.Minutes() > 0 && (i == 0 || course[i-1].Minutes() == 0) {
			if _, err := fmt.Fprintf(s.Out, "    %s\n", w.Say("capstones-are")); err != nil {
				return err
			}
		}
		title := clean(l.Title(language))
		title += strings.Repeat(" ", max(widthOfTitles-ansi.StringWidth(title), 0))
		said := w.Say("tasks-done", done, of)
		if points, most := progress.Points(l); most > 0 {
			said += "  " + w.Say("points", points, most)
		}
		if took := progress.Minutes(l); took > 0 {
			said += "  " + w.Say("minutes-taken", took)
		}
		if !l.HasWords(language) {
			said += "  " + w.Say("in-english")
		}
		if _, err := fmt.Fprintf(
			s.Out, "%s %2d  %s %s\n", mark, i+1, title, said,
		); err != nil {
			return err
		}
		if next == i+1 {
			if _, err := fmt.Fprintf(s.Out, "      %s\n", clean(l.About(language))); err != nil {
				return err
			}
		}
	}
	last := w.Say("begin-with", name, next)
	switch {
	case next == 0:
		last = w.Say("all-lessons-done", name, name)
	case begun:
		last = w.Say("go-on-with", name, next)
	}
	also := w.Say("glossary-is", name)
	if due := len(progress.Due(course, lesson.Day(time.Now()))); due > 0 {
		also = w.Say("tasks-due", due, name)
	}
	_, err := fmt.Fprintf(s.Out, "%s\n%s\n", last, also) // 24 lines with those of the course: a small terminal
	return err
}

// printGlossary prints the entries that contain a text: where kube-scheduler does it, and what the words mean.
func printGlossary(s Streams, text, language string) error {
	lines := glossary.In(language).Lines(text)
	if text != "" {
		lines = append(glossary.TermLines(language, text), lines...)
	}
	if len(lines) == 0 {
		return usageError{errors.New(lesson.WordsIn(language).Say("glossary-unknown", text))}
	}
	_, err := fmt.Fprintln(s.Out, strings.Join(lines, "\n"))
	return err
}
