package cmd

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/workload"
)

// completionTime is how long a shell waits for names from a cluster.
const completionTime = 2 * time.Second

// namedKind is a prefix such as node/ or deployment/, which explain takes before a name, and the kind that it stands
// for.
type namedKind struct {
	word string
	kind cluster.Kind
}

// named lists the prefixes. A name without one is that of a pod.
func named() []namedKind {
	all := []namedKind{
		{nodeWord, cluster.KindNode}, {podWord, cluster.KindPod}, {trace.GroupKey(""), cluster.KindPodGroup},
	}
	short, kinds := workload.Words()
	for i, word := range short {
		all = append(all, namedKind{word + "/", kinds[i]})
	}
	return all
}

// names lists the objects of a kind in the cluster whose names begin with a word. It is empty when the cluster does not
// answer in time: a shell shows no errors.
func (f *liveFlags) names(c *cobra.Command, kind cluster.Kind, word string) []string {
	ctx, stop := context.WithTimeout(c.Context(), completionTime)
	defer stop()
	at, err := f.cluster.Connect(ctx)
	if err != nil {
		return nil
	}
	namespace, prefix := "", ""
	if kind != cluster.KindNode && kind != cluster.KindNamespace {
		namespace = at.Namespace()
		if other, rest, cut := strings.Cut(word, "/"); cut {
			namespace, prefix, word = other, other+"/", rest
		}
	}
	all, err := at.Names(ctx, kind, namespace)
	if err != nil {
		return nil
	}
	var names []string
	for _, name := range all {
		if strings.HasPrefix(name, word) {
			names = append(names, prefix+name)
		}
	}
	return names
}

// pages completes a word to the name of something that has a page: of a pod or, after the prefix of a kind, of an
// object of that kind. Where no pod has such a name, it offers the prefixes, after which the user types on.
func (f *liveFlags) pages(c *cobra.Command, word string) ([]string, cobra.ShellCompDirective) {
	for _, of := range named() {
		if name, is := strings.CutPrefix(word, of.word); is {
			names := f.names(c, of.kind, name)
			for i := range names {
				names[i] = of.word + names[i]
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		}
	}
	if names := f.names(c, cluster.KindPod, word); len(names) > 0 {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	var kinds []string
	for _, of := range named() {
		if strings.HasPrefix(of.word, word) {
			kinds = append(kinds, of.word)
		}
	}
	if len(kinds) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return kinds, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeGates offers the settings of the release's feature gates that are not its defaults, one after each comma.
func (f *inputFlags) completeGates(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	of, known := release.Find(f.version)
	if !known {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := word[:strings.LastIndex(word, ",")+1]
	settings := config.Settings(of)
	for i := range settings {
		settings[i] = before + settings[i]
	}
	return settings, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeNamespace offers the namespaces of the cluster after -n.
func (f *liveFlags) completeNamespace(c *cobra.Command) {
	must(c.RegisterFlagCompletionFunc("namespace", func(
		c *cobra.Command, _ []string, word string,
	) ([]string, cobra.ShellCompDirective) {
		return f.names(c, cluster.KindNamespace, word), cobra.ShellCompDirectiveNoFileComp
	}))
}

// completePage offers what has a page for the first argument, and files for the others.
func (f *liveFlags) completePage(c *cobra.Command) {
	c.ValidArgsFunction = func(
		c *cobra.Command, args []string, word string,
	) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return f.pages(c, word)
	}
}
