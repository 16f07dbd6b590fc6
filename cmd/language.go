package cmd

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedstep/schedstep/internal/words"
)

// languageFlag is --lang as pflag wants it.
type languageFlag struct{ words.Language }

// Set takes the tag of a language.
func (f *languageFlag) Set(tag string) error {
	l, err := words.LanguageNamed(tag)
	f.Language = l
	return err
}

// Type is what help calls the value.
func (*languageFlag) Type() string { return "language" }

// addLanguage adds the flag --lang to all commands, and translates their help.
func addLanguage(root *cobra.Command) {
	f := &languageFlag{words.LanguageOf(os.Getenv)}
	root.PersistentFlags().Var(f, "lang", "the `language` of what is said, en or zh; without it that of LC_ALL, "+
		"LC_MESSAGES or LANG, else English")
	root.PersistentFlags().Lookup("lang").DefValue = ""
	var tags []string
	for _, l := range words.Languages() {
		tags = append(tags, l.String())
	}
	_ = root.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(tags, cobra.ShellCompDirectiveNoFileComp))
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if l := languageOf(c); l != words.English {
			translate(c, l)
		}
		help(c, args)
	})
}

// languageOf is the language of a command's output.
func languageOf(c *cobra.Command) words.Language {
	f := c.Flag("lang")
	if own, is := f.Value.(*languageFlag); is {
		return own.Language
	}
	if f.Value.String() == "" {
		return words.LanguageOf(os.Getenv)
	}
	return words.LanguageIn(f.Value.String())
}

// translate translates the help of a command.
func translate(c *cobra.Command, l words.Language) {
	c.SetUsageTemplate(headings(c.UsageTemplate(), l))
	if name := c.Root().Annotations[cobra.CommandDisplayNameAnnotation]; c.HasParent() {
		c.Long = l.Of(c.Long)
	} else {
		c.Long = l.Say(aboutProgram, name)
	}
	for _, each := range append(c.Commands(), c) {
		each.Short = l.Of(each.Short)
	}
	flags := func(f *pflag.Flag) {
		if f.Name == "help" {
			f.Usage = l.Say("help for %s", c.Name())
			return
		}
		f.Usage = l.Of(f.Usage)
	}
	c.LocalFlags().VisitAll(flags)
	c.InheritedFlags().VisitAll(flags)
}

// textLessonsIn is the help of --lang for commands whose lessons may be in more languages than the program itself.
const textLessonsIn = "the `language` of lessons and screen; without it that of LC_ALL, LC_MESSAGES or LANG, else English"

// The words of cobra's template.
const (
	textUsage       = "Usage:"
	textAliases     = "Aliases:"
	textExamples    = "Examples:"
	textCommands    = "Available Commands:"
	textFlags       = "Flags:"
	textGlobalFlags = "Global Flags:"
	textMore        = `Use "{{.CommandPath}} [command] --help" for more information about a command.`
)

// headings translates the headings in cobra's template.
func headings(template string, l words.Language) string {
	for _, text := range []string{
		textUsage, textAliases, textExamples, textCommands, textFlags, textGlobalFlags, textMore,
	} {
		template = strings.ReplaceAll("\n"+template, "\n"+text, "\n"+l.Of(text))[1:]
	}
	return template
}
