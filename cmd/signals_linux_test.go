package cmd_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/schedstep/schedstep/cmd"
	"github.com/schedstep/schedstep/internal/pty"
)

// role makes this test binary the program when a test starts it.
const role = "SCHEDSTEP_CMD_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) != "" {
		os.Exit(cmd.Main())
	}
	hearAll()
	waitTogether()
	os.Exit(withStates(m))
}

// withStates runs the tests with a folder of states that is not that of the person who runs them.
func withStates(m *testing.M) int {
	folder, err := os.MkdirTemp("", "schedstep-states-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	os.Setenv("XDG_STATE_HOME", folder)
	return m.Run()
}

// waitTogether lets sixteen parallel tests run at a time, on however few cores: those that are parallel start programs
// and servers, and wait for them. Mostly they wait for client-go, which repeats a request after a second or two. A
// number that the command line gives stands.
func waitTogether() {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", "16")
	}
}

// hearAll lets the programs that tests start receive every signal, also where the tests run in the background of a
// shell: what this process handles, its children do not ignore.
func hearAll() {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
}

// terminal is a pseudo terminal: what a person sees, and what the program has.
type terminal struct {
	person, program *os.File
	unread          []byte // what came behind the text that was seen last
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	person, program, err := pty.Open(120, 40)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = person.Close()
		_ = program.Close()
	})
	return &terminal{person: person, program: program}
}

// settings are what stty -a prints.
func (e *terminal) settings(t *testing.T) unix.Termios {
	t.Helper()
	settings, err := unix.IoctlGetTermios(int(e.program.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *settings
}

// seen reads what the person sees, up to a text. What came with it counts for the next.
func (e *terminal) seen(t *testing.T, text string) string {
	t.Helper()
	window := make([]byte, 4096)
	for {
		if at := bytes.Index(e.unread, []byte(text)); at >= 0 {
			said := e.unread[:at+len(text)]
			e.unread = e.unread[len(said):]
			return string(said)
		}
		n, err := e.person.Read(window)
		if err != nil {
			t.Fatalf("%q was never seen, and %v, after\n%s", text, err, e.unread)
		}
		e.unread = append(e.unread, window[:n]...)
	}
}

// start runs the program on the terminal, as a shell does.
func (e *terminal) start(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program := e.command(args...)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	return program
}

// command is the program, to be started on the terminal.
func (e *terminal) command(args ...string) *exec.Cmd {
	program := exec.Command(os.Args[0], args...)
	program.Env = append(os.Environ(), role+"=program", "TERM=xterm-256color")
	program.Stdin, program.Stdout, program.Stderr = e.program, e.program, e.program
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return program
}

// stages are what a person sees before a signal comes.
var stages = []struct {
	name string
	args []string
	see  string
}{
	{"the screen", []string{"demo"}, "lists all keys"},
	{"the prompt", []string{"demo", "--plain"}, "\n> "},
}

// endings are the signals that end a command in good order.
var endings = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// ends sends a signal to a program, which ends by it and leaves the terminal as it was. It returns the program's
// output.
func (e *terminal) ends(t *testing.T, program *exec.Cmd, by syscall.Signal, before unix.Termios) string {
	t.Helper()
	if err := program.Process.Signal(by); err != nil {
		t.Fatal(err)
	}
	said := e.seen(t, "stopped")
	_ = program.Wait()
	if got, want := program.ProcessState.ExitCode(), 128+int(by); got != want {
		t.Errorf("%v: exit %d, want %d", program.Args[1:], got, want)
	}
	if diff := cmp.Diff(before, e.settings(t)); diff != "" {
		t.Errorf("%v: the terminal's settings (-before +after):\n%s", program.Args[1:], diff)
	}
	return said
}

func TestEverySignalAtEveryStageGivesTheTerminalBack(t *testing.T) {
	for _, stage := range stages {
		for _, s := range endings {
			t.Run(stage.name+" "+s.String(), func(t *testing.T) {
				e := newTerminal(t)
				before := e.settings(t)
				program := e.start(t, stage.args...)
				e.seen(t, stage.see)
				said := e.ends(t, program, s, before)
				if stage.args[len(stage.args)-1] == "demo" && !strings.Contains(said, "\x1b[?1049l") {
					t.Errorf("the screen is not left: %q", said)
				}
			})
		}
	}
}

// A shell has started the program; somebody stops it, by a key or from another terminal, looks at the shell, goes on.
func TestAProgramThatIsStoppedGivesTheTerminalBackAndTakesItAgain(t *testing.T) {
	t.Run("by a key", func(t *testing.T) {
		stopAndGoOn(t, func(e *terminal, _ int) error {
			_, err := fmt.Fprint(e.person, "\x1a")
			return err
		})
	})
	t.Run("from outside", func(t *testing.T) {
		stopAndGoOn(t, func(_ *terminal, id int) error { return syscall.Kill(id, syscall.SIGTSTP) })
	})
}

// stopAndGoOn stops the program with that process ID as stop does, and lets it go on as a shell does.
func stopAndGoOn(t *testing.T, stop func(e *terminal, id int) error) {
	e := newTerminal(t)
	before := e.settings(t)
	shell := e.command()
	shell.Path = "/bin/sh"
	shell.Args = []string{
		"sh", "-c", `set -m; "$0" demo & echo "it is $!."; fg; echo halted; read line; fg; echo "over $?"`, os.Args[0],
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(e.seen(t, "lists all keys"), "it is ")
	text, _, _ := strings.Cut(after, ".")
	id, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(e, id); err != nil {
		t.Fatal(err)
	}
	if said := e.seen(t, "halted"); !strings.Contains(said, "\x1b[?1049l") {
		t.Errorf("the screen is not left: %q", said)
	}
	if diff := cmp.Diff(before, e.settings(t)); diff != "" {
		t.Errorf("the terminal's settings while the program is stopped (-before +now):\n%s", diff)
	}
	fmt.Fprint(e.person, "\r")
	e.seen(t, "\x1b[?1049h") // the screen comes back
	if err := syscall.Kill(id, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	e.seen(t, "over 143")
	_ = shell.Wait()
	if diff := cmp.Diff(before, e.settings(t)); diff != "" {
		t.Errorf("the terminal's settings (-before +after):\n%s", diff)
	}
}

// nohup, and a shell that starts something in the background, have a signal ignored from the start.
func TestASignalThatIsIgnoredFromTheStartEndsNothing(t *testing.T) {
	e := newTerminal(t)
	program := e.command("demo", "--plain")
	program.Path = "/bin/sh"
	program.Args = []string{"sh", "-c", `trap "" HUP INT; exec "$0" "$@"`, os.Args[0], "demo", "--plain"}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	e.seen(t, "\n> ")
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if err := program.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprint(e.person, "nodes\r")
	e.seen(t, "\n> ")
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	e.seen(t, "stopped")
	_ = program.Wait()
	if got := program.ProcessState.ExitCode(); got != 128+int(syscall.SIGTERM) {
		t.Errorf("exit %d, want %d: %v", got, 128+int(syscall.SIGTERM), program.ProcessState)
	}
}

// A pasted text with a sequence of many parameters is a text like any other.
func TestAPastedSequenceOfManyParametersIsNoHarm(t *testing.T) {
	e := newTerminal(t)
	program := e.start(t, "demo")
	e.seen(t, "lists all keys")
	fmt.Fprint(e.person, "\x1b["+strings.Repeat("1;", 50)+"m:nodes")
	e.seen(t, "nodes")
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	e.seen(t, "stopped")
	_ = program.Wait()
	if got := program.ProcessState.ExitCode(); got != 128+int(syscall.SIGTERM) {
		t.Errorf("exit %d, want %d", got, 128+int(syscall.SIGTERM))
	}
}

// While a command waits for its input, a signal ends it, and nothing half written stays.
func TestASignalEndsACommandThatWaitsForItsInput(t *testing.T) {
	for i, args := range [][]string{
		{"run", "in"}, {"explain", "web", "in"}, {"convert", "in", "-o", "out.jsonl"}, {"replay", "in"},
	} {
		t.Chdir(t.TempDir())
		if err := syscall.Mkfifo("in", 0o600); err != nil {
			t.Fatal(err)
		}
		e := newTerminal(t)
		before := e.settings(t)
		program := e.start(t, args...)
		in, err := os.OpenFile("in", os.O_WRONLY, 0) // waits until the program has opened it
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		e.ends(t, program, endings[i%len(endings)], before)
		if left, err := os.ReadDir("."); err != nil || len(left) != 1 {
			t.Errorf("%v: %d files are there, %v; want the input alone", args, len(left), err)
		}
	}
}
