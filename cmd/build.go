package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/builder"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
)

// buildFlags choose what is built in.
type buildFlags struct {
	with, plugins, schemes []string
	release, output        string
	keep, checkout         string
	print, verify          bool
	check                  []string
	config                 string
}

func buildCommand(s Streams) *cobra.Command {
	var f buildFlags
	c := &cobra.Command{
		Use:   "build --with MODULE@VERSION[=FOLDER]",
		Short: "Build a schedstep that has plugins written for kube-scheduler's framework in it",
		Long: `build writes a main.go and a go.mod in a folder of their own and runs go build there: the program
that comes out is schedstep, with the same commands, and configurations can name the plugins. It
needs the go command. The first build compiles the libraries of Kubernetes and takes minutes.

--with names a module of an exact version, or with =FOLDER its source on this machine; several are
built in together. Without --plugin the one plugin of each module is found: a package with a
constant Name and a function New of the form that kube-scheduler's registry takes.

The plugins are compiled with the libraries of the newest Kubernetes here, whatever --release and
--kube-version have decide. What does not compile is printed with the line, and with the release
that the module is made for.

With GOPROXY=off nothing is fetched. A schedstep that is no release needs its own source: it is
found where build runs inside a checkout, else --schedstep names it.

--check plays a recording or scenario twice in the new program, and names the plugin and the call
in which the two differ; the exit code is 3 then.

--verify makes another program, schedstep-verify-PLUGIN: it plays an input or random clusters with the
plugins hosted by schedstep and, beside it, with the same plugins in the real kube-scheduler, and
prints every difference. With it, --check has the new program compare the file.`,
		Example: `  schedstep build --with example.com/gang=./gang
  schedstep build --with sigs.k8s.io/scheduler-plugins@v0.35.7 -o my-schedstep \
    --plugin NodeMetadata=sigs.k8s.io/scheduler-plugins/pkg/nodemetadata.New \
    --scheme sigs.k8s.io/scheduler-plugins/apis/config/scheme
  schedstep build --with example.com/gang=./gang --print
  schedstep build --with example.com/gang=./gang --check story.txt
  schedstep build --with example.com/gang=./gang --verify`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, s) },
	}
	c.Flags().StringArrayVar(&f.with, "with", nil, "a `module` with plugins: MODULE@VERSION, or MODULE=FOLDER")
	c.Flags().StringArrayVar(&f.plugins, "plugin", nil, "a `plugin`: NAME=PACKAGE.FUNCTION; without FUNCTION it is New")
	c.Flags().StringArrayVar(&f.schemes, "scheme", nil, "a `package` that registers the types of the plugins' args")
	c.Flags().StringVar(
		&f.release, "release", "", "the `release` that decides where neither the input nor --kube-version names one",
	)
	c.Flags().StringVarP(&f.output, "output", "o", "", "the `file` of the program; without it schedstep-PLUGIN")
	c.Flags().StringVar(&f.keep, "keep", "", "write main.go and go.mod into this `folder`, and leave them there")
	c.Flags().StringVar(&f.checkout, "schedstep", "", "a checkout of schedstep to build from, in place of its release")
	c.Flags().BoolVar(&f.print, "print", false, "print main.go and go.mod, and build nothing")
	c.Flags().BoolVar(
		&f.verify, "verify", false, "make the program that compares with the real kube-scheduler that has the plugins, too",
	)
	c.Flags().StringArrayVar(&f.check, "check", nil, "play this `file` twice in the new program")
	c.Flags().StringVar(&f.config, "config", "", "KubeSchedulerConfiguration `file` for --check")
	offer(c, "release", release.Versions())
	return c
}

// program is what the flags describe.
func (f *buildFlags) program() (*builder.Program, error) {
	p := &builder.Program{Schemes: f.schemes, Release: f.release, Kube: release.Newest().Patch, Compares: f.verify}
	for _, text := range f.with {
		m, err := builder.ParseModule(text)
		if err != nil {
			return nil, usageError{phrase.Errorf("--with: %w", err)}
		}
		p.Modules = append(p.Modules, m)
	}
	for _, text := range f.plugins {
		plugin, err := builder.ParsePlugin(text)
		if err != nil {
			return nil, usageError{phrase.Errorf("--plugin: %w", err)}
		}
		p.Plugins = append(p.Plugins, plugin)
	}
	if f.release != "" {
		if err := hasRelease(f.release); err != nil {
			return nil, usageError{phrase.Errorf("--release: %w", err)}
		}
	}
	if f.config != "" && len(f.check) == 0 {
		return nil, usageError{phrase.Errorf("--config goes with --check; the program itself has a flag --config")}
	}
	if err := p.Check(); err != nil {
		return nil, usageError{phrase.Errorf("build: %w", err)}
	}
	working, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if err := p.Resolve(f.checkout, working, versionOfBuild()); err != nil {
		return nil, usageError{phrase.Errorf("build: %w", err)}
	}
	return p, nil
}

func (f *buildFlags) run(c *cobra.Command, s Streams) error {
	p, err := f.program()
	if err != nil {
		return err
	}
	folder := f.keep
	if folder == "" {
		if folder, err = os.MkdirTemp("", "schedstep-build-"); err != nil {
			return err
		}
		defer os.RemoveAll(folder) //nolint:errcheck // of files that were just written
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	w := &builder.Work{Program: p, Folder: folder}
	if err := w.Prepare(c.Context()); err != nil {
		return refused(s, err)
	}
	if f.print {
		return printFiles(s, p)
	}
	l := languageOf(c)
	output := f.output
	if output == "" {
		output = p.Output()
	}
	fmt.Fprintln(s.Err, l.Say("compiling %s; the first time this takes minutes", namesOf(p)))
	if err := w.Build(c.Context(), output); err != nil {
		return refused(s, err)
	}
	registered, err := w.Verify(c.Context(), output)
	if err != nil {
		return phrase.Errorf("build: %w", err)
	}
	if f.verify {
		printComparer(s, l, p, output, registered)
	} else {
		printBuilt(s, l, p, output, registered)
	}
	return f.checkFiles(c.Context(), s, output)
}

// refused prints the lines of a refusal, and returns its sentence.
func refused(s Streams, err error) error {
	var with *builder.Refusal
	if errors.As(err, &with) {
		for _, line := range with.Lines {
			fmt.Fprintln(s.Err, "  "+clean(line))
		}
	}
	return phrase.Errorf("build: %w", err)
}

func namesOf(p *builder.Program) string {
	names := make([]string, len(p.Plugins))
	for i, plugin := range p.Plugins {
		names[i] = plugin.Name
	}
	return strings.Join(names, ", ")
}

// printFiles prints the files of the program as one text.
func printFiles(s Streams, p *builder.Program) error {
	for _, f := range p.Files() {
		if _, err := fmt.Fprintf(s.Out, "==> %s <==\n%s\n", f.Name, f.Text); err != nil {
			return err
		}
	}
	return nil
}

// called is how a program is called from here, and how large it is.
func called(output string) (name, size string) {
	if !strings.ContainsRune(output, filepath.Separator) {
		output = "." + string(filepath.Separator) + output
	}
	if info, err := os.Stat(output); err == nil {
		size = disk.Bytes(info.Size())
	}
	return output, size
}

// printBuilt prints what the program has and what can be done with it.
func printBuilt(s Streams, l words.Language, p *builder.Program, output string, registered []builder.Registered) {
	output, size := called(output)
	fmt.Fprintln(s.Out, l.Say(
		"%s (%s): schedstep with plugins that are compiled with Kubernetes %s", output, size, p.Kube,
	))
	printEnabled(s, l, p, registered)
	fmt.Fprintf(s.Out, "%s\n\n  %[2]s run FILE --config config.yaml\n  %[2]s explain POD FILE --config config.yaml\n"+
		"  %[2]s replay FILE --config config.yaml\n", l.Of("Then:"), output)
}

// printComparer is printBuilt for a program that compares.
func printComparer(s Streams, l words.Language, p *builder.Program, output string, registered []builder.Registered) {
	output, size := called(output)
	fmt.Fprintln(s.Out, l.Say(
		"%s (%s): compares schedstep and kube-scheduler %s, which both have the plugins", output, size, p.Kube,
	))
	printEnabled(s, l, p, registered)
	fmt.Fprintf(s.Out, "%s\n\n  %[2]s FILE --config config.yaml\n  %[2]s FILE --config config.yaml --drawn 0:100\n",
		l.Of("Then:"), output)
}

// printEnabled lists the plugins, and prints a configuration that enables them.
func printEnabled(s Streams, l words.Language, p *builder.Program, registered []builder.Registered) {
	for _, r := range registered {
		if r.Wrong != "" {
			fmt.Fprintln(s.Out, clean(l.Say("  %s: it could not be made without args: %s", r.Name, r.Wrong)))
			continue
		}
		fmt.Fprintf(s.Out, "  %s: %s\n", clean(r.Name), clean(strings.Join(r.Points, ", ")))
	}
	names := make([]string, len(p.Plugins))
	args := ""
	for i, plugin := range p.Plugins {
		names[i] = "{name: " + plugin.Name + "}"
		needs := func(r builder.Registered) bool { return r.Name == plugin.Name && r.Wrong != "" }
		if slices.ContainsFunc(registered, needs) {
			args += "\n    - {name: " + plugin.Name + ", args: {...}}"
		}
	}
	if args != "" {
		args = "\n    pluginConfig:" + args
	}
	fmt.Fprintf(s.Out, "\n%s\n\n%s\n\n", l.Of("A KubeSchedulerConfiguration enables them:"),
		"  apiVersion: kubescheduler.config.k8s.io/v1\n  kind: KubeSchedulerConfiguration\n  profiles:\n"+
			"  - plugins: {multiPoint: {enabled: ["+strings.Join(names, ", ")+"]}}"+args)
}

// checkFiles has the program that was built play each file of --check twice, or compare it.
func (f *buildFlags) checkFiles(ctx context.Context, s Streams, output string) error {
	at, err := filepath.Abs(output)
	if err != nil {
		return err
	}
	differ := exitUnplaced
	for _, file := range f.check {
		args := []string{"plugins", file}
		if f.verify {
			args, differ = []string{file}, 1
		}
		if f.config != "" {
			args = append(args, "--config", f.config)
		}
		c := exec.CommandContext(ctx, at, args...) //nolint:gosec // it was built here
		c.Stdout, c.Stderr = s.Out, s.Err
		if err := c.Run(); err != nil {
			if exit := c.ProcessState; exit != nil && exit.ExitCode() == differ {
				return differs{1}
			}
			return phrase.Errorf("build: --check %s: %w", file, err)
		}
	}
	return nil
}
