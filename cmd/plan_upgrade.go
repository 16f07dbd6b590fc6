package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/plan"
)

// newNodeFlags are what a new node has otherwise than an old one.
type newNodeFlags struct {
	release  string
	labels   []string
	size     string
	template string
}

func (n *newNodeFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&n.release, "kubelet", "", "release of the kubelet on new nodes, such as 1.37.1")
	c.Flags().StringSliceVar(&n.labels, "label", nil, "a label of new nodes, KEY=VALUE; KEY= takes it off")
	c.Flags().StringVar(&n.size, "size", "", "what new nodes have, such as cpu=8,memory=32Gi")
	c.Flags().StringVar(&n.template, "template", "", "manifest of a Node that new nodes are like; else like the old ones")
}

// newNode reads the flags.
func (n *newNodeFlags) newNode() (of plan.NewNode, err error) {
	if n.release != "" {
		if _, err := version.ParseGeneric(n.release); err != nil {
			return of, usageError{phrase.Errorf("--kubelet %q: it is a release such as 1.37.1", n.release)}
		}
		of.Release = n.release
	}
	of.Labels = map[string]string{}
	for _, pair := range n.labels {
		key, value, is := strings.Cut(pair, "=")
		if !is || key == "" {
			return of, usageError{phrase.Errorf("--label %q: it is KEY=VALUE", pair)}
		}
		of.Labels[key] = value
	}
	if n.size != "" {
		of.Size = corev1.ResourceList{}
		for pair := range strings.SplitSeq(n.size, ",") {
			name, text, _ := strings.Cut(pair, "=")
			amount, err := resource.ParseQuantity(text)
			if err != nil || name == "" || amount.Sign() < 0 {
				return of, usageError{phrase.Errorf("--size %q: it is a list such as cpu=8,memory=32Gi", n.size)}
			}
			of.Size[corev1.ResourceName(name)] = amount
		}
	}
	if n.template != "" {
		of.Like, err = nodeIn(n.template)
	}
	return of, err
}

// mostOfTemplates is far beyond what a file of nodes needs.
const mostOfTemplates = 16 << 20

// nodeIn reads the manifest of a Node.
func nodeIn(path string) (*corev1.Node, error) {
	data, err := bounded.ReadFile(path, mostOfTemplates)
	if err != nil {
		return nil, phrase.Errorf("--template %s: %w", path, disk.Bare(err))
	}
	n, err := plan.ReadNode(data)
	if err != nil {
		return nil, phrase.Errorf("--template %s: %w", path, err)
	}
	return n, nil
}

func planUpgrade(s Streams, plugins []config.Plugin) *cobra.Command {
	var f planFlags
	var of plan.UpgradeOf
	var fresh newNodeFlags
	var selector string
	c := &cobra.Command{
		Use:   "upgrade NODE... [FILE...]",
		Short: "Upgrade a pool: new nodes for old ones, wave by wave; what waits, for how long, and what blocks it",
		Long: `upgrade replaces nodes: --max-surge new ones join, that many old ones and --max-unavailable more are
drained at once as kubectl drain does it, and are deleted. It goes on until all are replaced, or a
wave is blocked. New nodes are like the old ones, in the same zone, or like --template, and have what
--kubelet, --label and --size give them.`,
		Example: `  schedstep plan upgrade -l pool=main cluster.yaml --kubelet 1.37.1
  schedstep plan upgrade n1 n2 n3 bundle/ --max-surge 0 --max-unavailable 1
  schedstep plan upgrade -l eks.amazonaws.com/nodegroup=main --size cpu=16,memory=64Gi cluster.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			nodes, files := apart(args)
			var err error
			switch {
			case len(nodes) == 0 && selector == "":
				return usageError{phrase.Errorf("%s needs a NODE or -l SELECTOR", c.CommandPath())}
			case of.Surge < 0 || of.Unavailable < 0 || of.Surge+of.Unavailable == 0:
				return usageError{phrase.Errorf("--max-surge and --max-unavailable must not be negative, and not both 0")}
			case of.Starts < 0:
				return usageError{phrase.Errorf("--node-after must not be negative")}
			}
			if of.New, err = fresh.newNode(); err != nil {
				return err
			}
			fleet, in, err := f.fleet(c, s, files)
			if err != nil {
				return err
			}
			if of.Nodes, err = chosenNodes(fleet, nodes, selector); err != nil {
				return err
			}
			var u plan.Upgraded
			err = f.carryOut(c, s, in, func(ctx context.Context, progress func(int)) (bool, error) {
				var err error
				u, err = fleet.Upgrade(ctx, of, progress)
				return u.Goal != "", err
			}, u.Course, func() error { return f.printUpgraded(s, &u, in.language) })
			if err != nil {
				return err
			}
			return f.end(in, u.Verdict, len(u.Pending))
		},
	}
	f.add(c, plugins)
	fresh.add(c)
	c.Flags().StringVarP(&selector, "selector", "l", "", "replace the nodes that this selector of labels chooses")
	c.Flags().IntVar(&of.Surge, "max-surge", 1, "how many nodes the pool may have more meanwhile")
	c.Flags().IntVar(&of.Unavailable, "max-unavailable", 0, "how many nodes it may have fewer meanwhile")
	c.Flags().DurationVar(&of.Starts, "node-after", plan.NodeStarts, "how long a new node takes to be there")
	c.Flags().BoolVar(&of.Force, "force", false, "evict pods without a controller too; they are lost")
	c.Flags().BoolVar(&of.EmptyDir, "delete-emptydir-data", false, "evict pods with an emptyDir too; its data is lost")
	return c
}

// offers reads --templates: a file, or the pools of the cluster's nodes.
func offers(fleet *plan.Fleet, templates string) ([]plan.Offer, error) {
	if templates == poolsOfNodes {
		return fleet.PoolsAsOffers()
	}
	data, err := bounded.ReadFile(templates, mostOfTemplates)
	if err != nil {
		return nil, phrase.Errorf("--templates %s: %w", templates, disk.Bare(err))
	}
	all, err := fleet.Offers(data)
	if err != nil {
		return nil, phrase.Errorf("--templates %s: %w", templates, err)
	}
	return all, nil
}

// poolsOfNodes is the value of --templates that means the pools of the cluster's nodes.
const poolsOfNodes = "pools"

// buy looks for nodes.
func (f *planFlags) buy(c *cobra.Command, s Streams, files []string, of plan.BuyOf, templates string) error {
	fleet, in, err := f.fleet(c, s, files)
	if err != nil {
		return err
	}
	if of.Offers, err = offers(fleet, templates); err != nil {
		return err
	}
	var b plan.Bought
	err = f.carryOut(c, s, in, func(ctx context.Context, progress func(int)) (bool, error) {
		var err error
		b, err = fleet.Buy(ctx, of, progress)
		return b.Goal != "", err
	}, b.Course, func() error { return f.printBought(s, &b, of.Nodes, in.language) })
	if err != nil {
		return err
	}
	return f.end(in, b.Verdict, len(b.Pending))
}
