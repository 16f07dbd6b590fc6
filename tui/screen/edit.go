package screen

import (
	"io"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/editor"
)

// edited is the end of an editor.
type edited struct {
	line string
	err  error
}

// openEditor gives the terminal to an editor with a draft.
func (a *app) openEditor(d command.Draft) tea.Cmd {
	a.dropSheet()
	if err := a.options.May.Check(command.RunPrograms | command.ReadFiles); err != nil {
		a.fail(d.Line, err)
		return nil
	}
	sheet, err := editor.New(d.Name, d.Text)
	if err != nil {
		a.fail(d.Line, err)
		return nil
	}
	a.sheet = sheet
	run := &foreign{Cmd: sheet.Command()}
	if len(a.options.Program) == 0 {
		run.Stdin = os.Stdin
	}
	return tea.Exec(run, func(err error) tea.Msg { return edited{d.Line, err} })
}

// foreign is a program that has the terminal while it runs. It reads the terminal itself and not what is left of its
// bytes behind the guard; where the screen is not on the terminal of this process, it reads nothing.
type foreign struct{ *exec.Cmd }

// SetStdin does nothing: the maker of a foreign sets its input.
func (f *foreign) SetStdin(io.Reader) {}

// SetStdout is where it draws.
func (f *foreign) SetStdout(w io.Writer) { f.Stdout = w }

// SetStderr is where it complains.
func (f *foreign) SetStderr(w io.Writer) { f.Stderr = w }

// takeEdited carries out what was written in the editor. A line that fails comes back to the command line to be
// corrected; until then the text stays in its file.
func (a *app) takeEdited(e edited) tea.Cmd {
	if e.err != nil {
		a.fail(e.line, a.language.Errorf("edit: the editor ($VISUAL, $EDITOR): %w", e.err))
		return nil
	}
	_, changed, err := a.sheet.Text()
	switch {
	case err != nil:
		a.fail(e.line, err)
		return nil
	case !changed:
		a.say(a.language.Of("nothing was changed"))
		return nil
	}
	return a.doTyped(e.line + " " + a.sheet.Path)
}

// dropSheet removes the file of the last draft.
func (a *app) dropSheet() {
	if a.sheet != nil {
		_ = a.sheet.Drop() // it is a temporary file, which the system removes some day
		a.sheet = nil
	}
}

// objectAtHand is what describe and edit are about: the node under the cursor of a table of nodes, else the pod. Before
// the first cycle it is the pod at the head of the queue.
func (a *app) objectAtHand() string {
	if s := a.selection(); s.Node != "" {
		return "node/" + s.Node
	}
	if pod := a.podAtHand(); pod != "" {
		return "pod/" + pod
	}
	if next := a.frame.Queue.Active; len(next) > 0 {
		return "pod/" + command.PodOf(a.frame, a.panes.group.Frame(a.frame), next[0].Pod)
	}
	return ""
}

// aboutObject runs a verb about the object at hand.
func aboutObject(verb string) func(*app) tea.Cmd {
	return func(a *app) tea.Cmd { return a.do(verb + a.objectAtHand()) }
}

func (a *app) noObject() string {
	if a.objectAtHand() == "" {
		return a.language.Of("neither a pod nor a node is under the cursor")
	}
	return a.busy()
}
