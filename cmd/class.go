package cmd

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/clock"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/learn/class"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/demo"
	"github.com/schedstep/schedstep/replay/source/extender"
	"github.com/schedstep/schedstep/serve"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/classroom"
)

// classFlags are those of class.
type classFlags struct {
	listen   string
	keys     string // a file; "": there is none
	password string // a file; "": one is made up, unless there are keys
	folder   string // of lessons; "": those that come with schedstep
	language string
	demos    []string
	results  string // a format; "": the class is served
	students int
	idle     time.Duration
	memory   string // a quantity; "": usual for so many students
	screen   screenFlags
	plugins  []config.Plugin
}

func classCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := &classFlags{plugins: plugins}
	usual := serve.Usual()
	c := &cobra.Command{
		Use:   "class",
		Short: "Teach a class: every student's own screen over SSH, and the teacher's desk here",
		Long: `class serves the lessons of learn, and the demos that are named, over SSH: each student has a
screen of their own and nothing else: no files, no cluster, no shell. The teacher's desk is on
this terminal: who is where, who is stuck, what is answered. The progress of each student is kept in
your folder of states (XDG_STATE_HOME), as is the key of the server.

Students come in with a password, which schedstep makes up unless --password-file gives one, or with a
key of --authorized-keys: ssh -p 2222 anna@HOST. docs/class.md says more.`,
		Example: "  schedstep class\n  schedstep class --listen 0.0.0.0:2222 --authorized-keys students.pub --demo rollout",
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c, s) },
	}
	flags := c.Flags()
	flags.StringVar(
		&f.listen, "listen", "127.0.0.1:2222",
		"the `address` that students connect to; 0.0.0.0:2222 is every address of this machine",
	)
	flags.StringVar(&f.keys, "authorized-keys", "", "a `file` with the public keys of students, as sshd has them")
	flags.StringVar(&f.password, "password-file", "", "a `file` with the password of the class, of 8 letters or more")
	flags.StringVar(&f.folder, "lessons", "", "a `folder` with lessons of your own, in place of those that come along")
	flags.StringVar(&f.language, "lang", "", textLessonsIn)
	flags.StringArrayVar(
		&f.demos, "demo", nil, "the `name` of a demo that students may open; it may be given several times",
	)
	flags.IntVar(&f.students, "students", usual.Guests, "how many students there may be at a time")
	flags.DurationVar(&f.idle, "idle", usual.Idle, "a student who presses no key for this long is disconnected")
	flags.StringVar(
		&f.memory, "memory", "",
		"how much `memory` the class may use, as 2Gi, before nobody else is let in; without it 30Mi for each of --students",
	)
	flags.StringVar(
		&f.results, "results", "", "print the results of all students so far in a `format` (csv, json, md), and end",
	)
	offer(c, "lang", lesson.Languages())
	offer(c, "results", class.Formats())
	must(c.RegisterFlagCompletionFunc("demo", cobra.FixedCompletions(demo.Names(), cobra.ShellCompDirectiveNoFileComp)))
	f.screen.addLooks(c)
	return c
}

func (f *classFlags) run(c *cobra.Command, s Streams) error {
	if f.students < 1 || f.idle < time.Minute {
		return usageError{phrase.Errorf("--students is 1 or more, and --idle a minute or more")}
	}
	memory, err := f.mostMemory()
	if err != nil {
		return err
	}
	if err := f.screen.check(); err != nil {
		return err
	}
	folder, err := stateFolder()
	if err != nil {
		return err
	}
	folder = filepath.Join(folder, "class")
	room, err := f.room(c, folder)
	if err != nil {
		return err
	}
	if f.results != "" {
		if !slices.Contains(class.Formats(), f.results) {
			return usageError{phrase.Errorf("--results %q: use one of %s", f.results, strings.Join(class.Formats(), ", "))}
		}
		return room.Room.Write(s.Out, f.results)
	}
	room.Memory = classroom.Memory{Most: uint64(memory), Used: classroom.InUse}
	debug.SetMemoryLimit(memory)
	door, password, err := f.door(folder, room)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return phrase.Errorf("class: %w", err)
	}
	how, err := f.announce(s, l.Addr(), password)
	if err != nil {
		return err
	}
	return f.teach(c.Context(), s, door, l, &classroom.Teacher{
		Class: room, How: how, Screen: f.screen.options(),
		Results: func() (string, error) {
			path, err := keepResults(folder, room.Room)
			if err != nil {
				return "", err
			}
			return words.LanguageIn(f.language).Say("%s are written", path), nil
		},
	})
}

// How much memory a class takes: the lessons and the program, and a student, as docs/performance.md measures them.
const (
	memoryOfAClass   = 200 << 20
	memoryOfAStudent = 30 << 20
)

// mostMemory is how many bytes the class may use. Garbage is collected the more often the nearer it comes.
func (f *classFlags) mostMemory() (int64, error) {
	if f.memory == "" {
		return memoryOfAClass + int64(f.students)*memoryOfAStudent, nil
	}
	q, err := resource.ParseQuantity(f.memory)
	if err != nil || q.Value() < memoryOfAClass {
		return 0, usageError{phrase.Errorf(
			"--memory %q: it is an amount as 2Gi, of %dMi or more", f.memory, memoryOfAClass>>20,
		)}
	}
	return q.Value(), nil
}

// teach lets students in while the teacher is at the desk.
func (f *classFlags) teach(
	ctx context.Context, s Streams, door *serve.Door, l net.Listener, teacher *classroom.Teacher,
) error {
	inside, closed := context.WithCancel(ctx)
	defer closed()
	served := make(chan error, 1)
	go func() { served <- door.Serve(inside, l) }()
	var err error
	if f.screen.plain || !onTerminal(s) {
		err = teacher.Report(ctx, s.Out)
	} else {
		err = onWindow(s, func() error { return teacher.Sit(ctx) })
	}
	closed()
	return errors.Join(err, <-served)
}

// keepResults writes the results of all students into the folder that keeps their progress, and names the files.
func keepResults(folder string, room *class.Room) (string, error) {
	path := filepath.Join(folder, "results")
	for _, format := range class.Formats() {
		var text bytes.Buffer
		if err := room.Write(&text, format); err != nil {
			return "", err
		}
		if err := disk.Keep(path+"."+format, text.Bytes()); err != nil {
			return "", phrase.Errorf("results: %w", err)
		}
	}
	return path + "." + strings.Join(class.Formats(), ", ."), nil
}

// room is the class with all that can be opened in it.
func (f *classFlags) room(c *cobra.Command, folder string) (*classroom.Class, error) {
	learn := learnFlags{folder: f.folder}
	course, err := learn.course()
	if err != nil {
		return nil, err
	}
	if err := chooseLanguage(&f.language, course); err != nil {
		return nil, err
	}
	made := &classroom.Class{
		Language: f.language, Play: playLine, Limits: classroom.Usual(), Turns: classroom.NewTurns(),
		Clock: clock.RealClock{},
	}
	name := f.screen.theme
	if name == "" {
		name = themes.Default
	}
	if made.Theme, err = themes.Load(name); err != nil {
		return nil, err
	}
	for _, name := range f.demos {
		d, err := f.demo(c, name)
		if err != nil {
			return nil, err
		}
		made.Demos = append(made.Demos, d)
	}
	own := lesson.WordsIn(f.language)
	made.Room, err = class.New(course, own, class.Store(filepath.Join(folder, "students")), clock.RealClock{})
	return made, err
}

// demo is one that students may open. It is read once; each student has a session of their own.
func (f *classFlags) demo(c *cobra.Command, name string) (classroom.Demo, error) {
	d, err := demo.Open(name)
	if err != nil {
		return classroom.Demo{}, usageError{err}
	}
	defer d.Close()
	in, err := input.ReadRecording(name, d)
	if err != nil {
		return classroom.Demo{}, err
	}
	decides := inputFlags{version: release.Newest().Version, plugins: f.plugins, extenders: extender.Recorded.String()}
	o, err := decides.configure(c, in)
	if err != nil {
		return classroom.Demo{}, err
	}
	return classroom.Demo{Name: name, About: in.Story, Open: o.session}, nil
}

// mostOfAPassword is the largest file that is read as a password, in bytes.
const mostOfAPassword = 256

// door is where students come in, and the password that was made up; "": none was.
func (f *classFlags) door(folder string, room *classroom.Class) (door *serve.Door, made string, err error) {
	o := serve.Options{Limits: serve.Usual(), Clock: clock.RealClock{}, Language: words.LanguageIn(f.language)}
	o.Limits.Guests, o.Limits.Idle = f.students, f.idle
	if f.keys != "" {
		if o.Keys, err = serve.ReadKeys(f.keys); err != nil {
			return nil, "", err
		}
	}
	switch {
	case f.password != "":
		text, err := bounded.ReadFile(f.password, mostOfAPassword)
		if err != nil {
			return nil, "", phrase.Errorf("--password-file %s: %w", f.password, disk.Bare(err))
		}
		if o.Password = string(bytes.TrimSpace(text)); len(o.Password) < leastOfAPassword {
			return nil, "", usageError{
				phrase.Errorf("--password-file %s: a password has %d letters or more", f.password, leastOfAPassword),
			}
		}
	case f.keys == "":
		made = strings.ToLower(rand.Text())[:madeUp]
		o.Password = made
	}
	if o.HostKey, err = serve.HostKey(filepath.Join(folder, "host_key")); err != nil {
		return nil, "", err
	}
	door, err = serve.New(o, room.Host)
	return door, made, err
}

// How long passwords are: one that is made up has 50 bits.
const (
	leastOfAPassword = 8
	madeUp           = 10
)

// announce prints how students connect.
func (f *classFlags) announce(s Streams, at net.Addr, password string) (said string, err error) {
	l := words.LanguageIn(f.language)
	to, _ := at.(*net.TCPAddr)
	said = fmt.Sprintf("ssh -p %d NAME@%s", to.Port, to.IP)
	if to.IP.IsUnspecified() {
		said = fmt.Sprintf("ssh -p %d NAME@THIS-MACHINE", to.Port)
	}
	if password != "" {
		said += "\n" + l.Say("the password is %s", password)
	}
	if !to.IP.IsLoopback() {
		fmt.Fprintln(s.Err, l.Say(
			"warning: %s can be reached from other machines; whoever has the password or a key can come in", at,
		))
	}
	_, err = fmt.Fprintln(s.Out, l.Say("The class is open: %s", said))
	return said, err
}
