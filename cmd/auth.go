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
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/live"
)

// roleName is what the role is called that auth prints.
const roleName = "schedstep-read"

// lacking is the end of auth when rights are missing.
type lacking struct{ kinds int }

// Error counts the kinds.
func (l lacking) Error() string { return "rights are missing for " + words.Count(l.kinds, "kind") }

func authCommand(s Streams) *cobra.Command {
	f := newLiveFlags()
	var role bool
	c := &cobra.Command{
		Use:   "auth",
		Short: "Which rights reading a cluster needs, which are missing, and the role that gives them",
		Long: `auth asks the API server what you may do. explain and run list every kind that a scheduler
reads; attach, record and shadow list and watch them. Without nodes and pods nothing works;
without another kind some verdicts are guesses, and the table says which. When something
is missing, the exit code is 3, and the role that gives it follows the table.`,
		Example: `  schedstep auth
  schedstep auth --role | kubectl apply -f -`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.auth(c, s, role) },
	}
	f.add(c)
	c.Flags().BoolVar(&role, "role", false, "print the role and its binding alone, whatever is missing")
	return c
}

func (f *liveFlags) auth(c *cobra.Command, s Streams, role bool) error {
	at, err := f.cluster.Connect(c.Context())
	if err != nil {
		return err
	}
	rights, err := at.Rights(c.Context())
	if err != nil {
		return err
	}
	text, err := roleFor(rights, at.User(c.Context()))
	if err != nil {
		return err
	}
	if role {
		_, err := io.WriteString(s.Out, text)
		return err
	}
	missing, err := printRights(rights, s.Out)
	if err != nil || missing == 0 {
		return err
	}
	fmt.Fprintf(s.Out, "\nAn administrator gives them with (schedstep auth --role prints this alone):\n\n%s", text)
	return lacking{missing}
}

// printRights prints a row for each kind, and returns for how many of them something is missing.
func printRights(rights []live.Right, out io.Writer) (missing int, err error) {
	rows := aligned{out: out}
	rows.add("RESOURCE", "LIST", "WATCH", "WITHOUT IT")
	for kind := range slices.Chunk(rights, len(live.Verbs())) {
		cells, guess := []string{resourceOf(kind[0])}, ""
		for _, r := range kind {
			if !r.Allowed {
				cells, guess = append(cells, "no"), cluster.RowOf(r.Kind).Guess
				continue
			}
			cells = append(cells, "yes")
		}
		if slices.ContainsFunc(kind, func(r live.Right) bool { return !r.Allowed }) {
			missing++
		}
		rows.add(append(cells, guess)...)
	}
	return missing, rows.close()
}

func resourceOf(r live.Right) string {
	if r.Group == "" {
		return r.Resource
	}
	return r.Resource + "." + r.Group
}

// roleFor is the role with all rights, and its binding to a user, as YAML.
func roleFor(rights []live.Right, user string) (string, error) {
	meta := metav1.ObjectMeta{Name: roleName}
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
	if user == "" {
		user = "USER"
	}
	binding := rbacv1.ClusterRoleBinding{
		TypeMeta: rbac("ClusterRoleBinding"), ObjectMeta: meta, Subjects: []rbacv1.Subject{subject(user)},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: roleName},
	}
	first, err := yaml.Marshal(role)
	second, wrong := yaml.Marshal(binding)
	return string(first) + "---\n" + string(second), errors.Join(err, wrong)
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
