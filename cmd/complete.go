package cmd

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/cluster"
)

// completionTime is how long a shell waits for names from a cluster.
const completionTime = 2 * time.Second

// names are those of a kind in the cluster that begin with a word; none when the cluster does not tell them in time. A
// shell shows no errors.
func (f *liveFlags) names(c *cobra.Command, kind cluster.Kind, word string) []string {
	ctx, stop := context.WithTimeout(c.Context(), completionTime)
	defer stop()
	at, err := f.cluster.Connect(ctx)
	if err != nil {
		return nil
	}
	namespace, prefix := "", ""
	if kind == cluster.KindPod {
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

// completeNamespace offers the namespaces of the cluster after -n.
func (f *liveFlags) completeNamespace(c *cobra.Command) {
	must(c.RegisterFlagCompletionFunc("namespace", func(
		c *cobra.Command, _ []string, word string,
	) ([]string, cobra.ShellCompDirective) {
		return f.names(c, cluster.KindNamespace, word), cobra.ShellCompDirectiveNoFileComp
	}))
}

// completePod offers the pods of the namespace for the first argument, and files for the others.
func (f *liveFlags) completePod(c *cobra.Command) {
	c.ValidArgsFunction = func(
		c *cobra.Command, args []string, word string,
	) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return f.names(c, cluster.KindPod, word), cobra.ShellCompDirectiveNoFileComp
	}
}
