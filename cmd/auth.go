package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/source/live"
)

// What the roles are called that auth prints.
const (
	roleName      = "schedstep-read"
	driveRoleName = "schedstep-drive"
)

// lacking is the end of auth when rights are missing.
type lacking struct{ kinds int }

// Error counts the kinds.
func (l lacking) Error() string { return "rights are missing for " + words.Count(l.kinds, "kind") }

func authCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := authFlags{live: newLiveFlags(), plugins: plugins}
	c := &cobra.Command{
		Use:   "auth",
		Short: "Which rights reading a cluster needs, which are missing, and the role that gives them",
		Long: `auth asks the API server what you may do. explain and run list every kind that a scheduler
reads; attach, record and shadow list and watch them. Without nodes and pods nothing works;
without another kind some verdicts are guesses, and the table says which. When something
is missing, the exit code is 3, and the role that gives it follows the table. Nothing but
drive writes; --drive asks for its rights too. In a program with plugins of others the custom
resources that they name are asked for too, and with --drive what their writes need: to
patch pods, and to create, patch and delete those custom resources.`,
		Example: `  schedstep auth
  schedstep auth --role | kubectl apply -f -
  schedstep auth --drive --role --scheduler-name batch | kubectl apply -f -`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.auth(c, s) },
	}
	f.live.add(c)
	c.Flags().BoolVar(&f.role, "role", false, "print the role and its binding alone, whatever is missing")
	c.Flags().BoolVar(&f.drive, "drive", false, "the rights of drive as well, which writes")
	c.Flags().StringVar(&f.name, "scheduler-name", ownName, "the `schedulerName` whose pods drive places")
	return c
}

// authFlags choose the rights to print.
type authFlags struct {
	live    *liveFlags
	plugins []config.Plugin
	role    bool
	drive   bool
	name    string
}

func (f *authFlags) auth(c *cobra.Command, s Streams) error {
	if err := f.live.openLog(false); err != nil {
		return err
	}
	at, err := f.live.cluster.Connect(c.Context())
	if err != nil {
		return err
	}
	notes, err := at.ReadCustom(c.Context(), append(slices.Clone(f.live.custom), config.Reads(f.plugins)...))
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(s.Err, languageOf(c).Say("note: %s", hear(languageOf(c), note)))
	}
	rights, err := at.Rights(c.Context())
	if err != nil {
		return err
	}
	var writes []live.Right
	if f.drive {
		writes = live.DriveRights(f.name)
		if config.HaveGuests(f.plugins) {
			writes = append(writes, at.PluginRights()...)
		}
		if err := at.Ask(c.Context(), writes); err != nil {
			return err
		}
	}
	text, err := roleFor(rights, writes, at.User(c.Context()))
	if err != nil {
		return err
	}
	if f.role {
		_, err := io.WriteString(s.Out, text)
		return err
	}
	l := languageOf(c)
	missing, err := printRights(rights, s.Out, l)
	if err != nil {
		return err
	}
	if len(writes) > 0 {
		more, err := printWrites(writes, s.Out, l)
		if missing += more; err != nil {
			return err
		}
	}
	if missing == 0 {
		return nil
	}
	fmt.Fprintf(s.Out, "\n%s\n\n%s",
		l.Of("An administrator gives them with (schedstep auth --role prints this alone):"), text)
	return lacking{missing}
}

// printRights prints a row for each kind, and returns for how many of them something is missing.
func printRights(rights []live.Right, out io.Writer, l words.Language) (missing int, err error) {
	rows := aligned{out: out}
	rows.add(l.Of("RESOURCE"), "LIST", "WATCH", l.Of("WITHOUT IT"))
	for kind := range slices.Chunk(rights, len(live.Verbs())) {
		cells, guess := []string{resourceOf(kind[0])}, ""
		for _, r := range kind {
			if !r.Allowed {
				if cells = append(cells, l.Of("no")); r.Kind.IsCustom() {
					guess = l.Of("plugins that read it find none")
				} else {
					guess = l.Of(cluster.RowOf(r.Kind).Guess)
				}
				continue
			}
			cells = append(cells, l.Of("yes"))
		}
		if slices.ContainsFunc(kind, func(r live.Right) bool { return !r.Allowed }) {
			missing++
		}
		rows.add(append(cells, guess)...)
	}
	return missing, rows.flush()
}

// printWrites prints a row for each right to write, and returns how many are missing.
func printWrites(rights []live.Right, out io.Writer, l words.Language) (missing int, err error) {
	rows := aligned{out: out}
	rows.add("", "")
	rows.add(l.Of("WRITES"), l.Of("ALLOWED"))
	for _, r := range rights {
		allowed := l.Of("yes")
		if !r.Allowed {
			missing++
			allowed = l.Of("no")
		}
		rows.add(r.Verb+" "+resourceOf(r), allowed)
	}
	return missing, rows.flush()
}

func resourceOf(r live.Right) string {
	name, part, parted := strings.Cut(r.Resource, "/")
	if r.Group != "" {
		name += "." + r.Group
	}
	if parted {
		name += "/" + part
	}
	if r.Name != "" {
		name += " " + r.Name
	}
	return name
}

// roleFor is the role with all rights, and its binding to a user, as YAML.
func roleFor(rights, writes []live.Right, user string) (string, error) {
	meta := metav1.ObjectMeta{Name: roleName}
	if len(writes) > 0 {
		meta.Name = driveRoleName
	}
	role := rbacv1.ClusterRole{TypeMeta: rbac("ClusterRole"), ObjectMeta: meta}
	for _, r := range rights {
		i := slices.IndexFunc(role.Rules, func(rule rbacv1.PolicyRule) bool { return rule.APIGroups[0] == r.Group })
		if i < 0 {
			i = len(role.Rules)
			role.Rules = append(role.Rules, rbacv1.PolicyRule{APIGroups: []string{r.Group}, Verbs: live.Verbs()})
		}
		if rule := &role.Rules[i]; !slices.Contains(rule.Resources, r.Resource) {
			rule.Resources = append(rule.Resources, r.Resource)
		}
	}
	role.Rules = append(role.Rules, rulesOf(writes)...)
	if user == "" {
		user = "USER"
	}
	binding := rbacv1.ClusterRoleBinding{
		TypeMeta: rbac("ClusterRoleBinding"), ObjectMeta: meta, Subjects: []rbacv1.Subject{subject(user)},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
	}
	first, err := yaml.Marshal(role)
	second, wrong := yaml.Marshal(binding)
	return string(first) + "---\n" + string(second), errors.Join(err, wrong)
}

// rulesOf are rights, which are grouped by what they are about, as rules.
func rulesOf(rights []live.Right) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for i, r := range rights {
		if i > 0 && rights[i-1].Resource == r.Resource && rights[i-1].Name == r.Name {
			last := &rules[len(rules)-1]
			last.Verbs = append(last.Verbs, r.Verb)
			continue
		}
		rule := rbacv1.PolicyRule{APIGroups: []string{r.Group}, Resources: []string{r.Resource}, Verbs: []string{r.Verb}}
		if r.Name != "" {
			rule.ResourceNames = []string{r.Name}
		}
		rules = append(rules, rule)
	}
	return rules
}

func rbac(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}

// subject is a user or a service account, as RBAC names it.
func subject(user string) rbacv1.Subject {
	if account, is := strings.CutPrefix(user, "system:serviceaccount:"); is {
		namespace, name, _ := strings.Cut(account, ":")
		return rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}
	}
	return rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}
}
