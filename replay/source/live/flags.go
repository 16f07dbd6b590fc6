package live

import (
	"context"
	"io"

	"github.com/spf13/pflag"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // what a kubeconfig may name to log in
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Flags are kubectl's own: the cluster, the user, and the namespace.
type Flags struct {
	rules     *clientcmd.ClientConfigLoadingRules
	overrides *clientcmd.ConfigOverrides
	screen    bool
	log       io.Writer // nil: nothing is written down
}

// shown are the flags that help lists, with their texts. The others of kubectl work and are not listed.
var shown = map[string]string{
	"as": "`user` to act as", "context": "`name` of the kubeconfig's context; without it the current one",
	"kubeconfig": "`file` that says how to reach clusters", "namespace": "`name` of the namespace that is meant",
	"request-timeout": "how long one request may take, as 10s; 0: for ever",
}

// NewFlags are flags that are not set.
func NewFlags() *Flags {
	return &Flags{rules: clientcmd.NewDefaultClientConfigLoadingRules(), overrides: &clientcmd.ConfigOverrides{}}
}

// Add makes the flags part of a command line.
func (f *Flags) Add(to *pflag.FlagSet) {
	set := pflag.NewFlagSet("kubectl", pflag.ContinueOnError)
	set.StringVar(&f.rules.ExplicitPath, "kubeconfig", "", "")
	clientcmd.BindOverrideFlags(f.overrides, set, clientcmd.RecommendedConfigOverrideFlags(""))
	set.VisitAll(func(flag *pflag.Flag) {
		if usage, listed := shown[flag.Name]; listed {
			flag.Usage = usage
			return
		}
		flag.Hidden = true
	})
	to.AddFlagSet(set)
}

// Namespace is the one that the user named; "" when they named none.
func (f *Flags) Namespace() string { return f.overrides.Context.Namespace }

// OpenScreen announces that a screen will be drawn on the terminal once the server has answered. The program that a
// kubeconfig names to log in has no terminal from then on; a Feed's State shows its last line.
func (f *Flags) OpenScreen() { f.screen = true }

// MayAsk reports whether the program that a kubeconfig names to log in, and that Connect runs, may prompt the person at
// the terminal.
func (f *Flags) MayAsk() bool {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(f.rules, f.overrides).ClientConfig()
	return err == nil && config.ExecProvider != nil &&
		config.ExecProvider.InteractiveMode != api.NeverExecInteractiveMode
}

// Server is the address of the cluster that is meant; "" when no kubeconfig names one.
func (f *Flags) Server() string {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(f.rules, f.overrides).ClientConfig()
	if err != nil {
		return ""
	}
	return config.Host
}

// LogTo has lines about the connection written, one by one: client-go's log, the server's warnings, the output of the
// login program once a screen is drawn, and since when the server is cut off. None of them ever goes to the terminal.
func (f *Flags) LogTo(to io.Writer) { f.log = to }

// Connect finds the cluster that the flags name, else that of the current context, and waits for its first answer.
func (f *Flags) Connect(ctx context.Context) (*Cluster, error) {
	logTo(f.log)
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(f.rules, f.overrides)
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, oneLine("kubeconfig", err)
	}
	config, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, ErrNoCluster
	}
	if err != nil {
		return nil, oneLine("kubeconfig", err)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, oneLine("kubeconfig", err)
	}
	name := raw.CurrentContext
	if f.overrides.CurrentContext != "" {
		name = f.overrides.CurrentContext
	}
	return connect(ctx, rest.CopyConfig(config), name, namespace, f.screen)
}
