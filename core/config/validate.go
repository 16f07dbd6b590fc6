package config

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/internal/phrase"
)

// validate judges a completed document by kube-scheduler's rules (pkg/scheduler/apis/config/validation, 1.37).
// Plugins and their args were judged by readProfile.
func validate(d *configv1.KubeSchedulerConfiguration, profiles []*profile) reasons {
	var errs reasons
	errs = append(errs, validateConnection(d)...)
	if *d.Parallelism <= 0 {
		errs = append(errs, field.Invalid(
			field.NewPath("parallelism"), *d.Parallelism, "should be an integer value greater than zero",
		))
	}
	errs = append(errs, validateNames(d.Profiles)...)
	errs = append(errs, validateCommonQueueSort(profiles)...)
	errs = append(errs, validatePercentage(field.NewPath("percentageOfNodesToScore"), d.PercentageOfNodesToScore)...)
	if *d.PodInitialBackoffSeconds <= 0 {
		errs = append(errs, field.Invalid(
			field.NewPath("podInitialBackoffSeconds"), *d.PodInitialBackoffSeconds, "must be greater than 0",
		))
	}
	if *d.PodMaxBackoffSeconds < *d.PodInitialBackoffSeconds {
		errs = append(errs, field.Invalid(
			field.NewPath("podMaxBackoffSeconds"), *d.PodMaxBackoffSeconds,
			"must be greater than or equal to PodInitialBackoffSeconds",
		))
	}
	return append(errs, validateExtenders(d.Extenders)...)
}

// validateConnection judges what only matters to a scheduler that talks to a cluster.
func validateConnection(d *configv1.KubeSchedulerConfiguration) reasons {
	var errs reasons
	if burst := d.ClientConnection.Burst; burst < 0 {
		errs = append(errs, field.Invalid(field.NewPath("clientConnection", "burst"), burst, "must be non-negative"))
	}
	election, at := d.LeaderElection, field.NewPath("leaderElection")
	if !*election.LeaderElect {
		return errs
	}
	positive := func(name, value string, is bool) {
		if !is {
			errs = append(errs, field.Invalid(at.Child(name), value, "must be greater than zero"))
		}
	}
	positive("leaseDuration", election.LeaseDuration.Duration.String(), election.LeaseDuration.Duration > 0)
	positive("renewDeadline", election.RenewDeadline.Duration.String(), election.RenewDeadline.Duration > 0)
	positive("retryPeriod", election.RetryPeriod.Duration.String(), election.RetryPeriod.Duration > 0)
	if election.LeaseDuration.Duration <= election.RenewDeadline.Duration {
		errs = append(errs, field.Invalid(at.Child("leaseDuration"), election.LeaseDuration.Duration.String(),
			fmt.Sprintf("must be greater than renewDeadline, which is %s", election.RenewDeadline.Duration)))
	}
	if election.ResourceLock != "leases" {
		errs = append(
			errs, field.Invalid(at.Child("resourceLock"), election.ResourceLock, `resourceLock value must be "leases"`),
		)
	}
	return errs
}

// validateNames wants every profile to have a name and no two to share one.
func validateNames(profiles []configv1.KubeSchedulerProfile) reasons {
	var errs reasons
	first := make(map[string]int, len(profiles))
	for i := range profiles {
		at := profilePath(i).Child("schedulerName")
		name := profiles[i].SchedulerName
		if name == nil || *name == "" {
			errs = append(errs, field.Required(at, "every profile needs a name of its own"))
			continue
		}
		if j, seen := first[*name]; seen {
			errs = append(errs, phrase.Errorf("%s: Duplicate value: %q is the name of %s already", at, *name, profilePath(j)))
			continue
		}
		first[*name] = i
	}
	return errs
}

// validateCommonQueueSort wants all profiles to sort the one queue they share in the same way, args included.
func validateCommonQueueSort(profiles []*profile) reasons {
	var errs reasons
	canon := profiles[0].plugins.QueueSort
	if n := len(canon.Enabled); n > 1 {
		errs = append(errs, field.Invalid(
			profiles[0].at.Child("plugins", "queueSort", "enabled"), n, "only one queue sort plugin can be enabled",
		))
	}
	sorter := "PrioritySort"
	if len(canon.Enabled) > 0 {
		sorter = canon.Enabled[0].Name
	}
	for _, p := range profiles[1:] {
		if !equality.Semantic.DeepEqual(canon, p.plugins.QueueSort) {
			errs = append(errs, field.Forbidden(
				p.at.Child("plugins", "queueSort"), "must be the same for all profiles, and profiles[0] says otherwise",
			))
		}
		if profiles[0].rawArgs[sorter] != p.rawArgs[sorter] {
			errs = append(errs, field.Forbidden(p.at.Child("pluginConfig"), "the args of "+sorter+
				" must be the same for all profiles, and profiles[0] says otherwise"))
		}
	}
	return errs
}

func validatePercentage(at *field.Path, percentage *int32) reasons {
	if percentage != nil && (*percentage < 0 || *percentage > 100) {
		return reasons{field.Invalid(at, *percentage, "not in valid range [0-100]")}
	}
	return nil
}

// validateExtenders judges extenders by kube-scheduler's rules.
func validateExtenders(extenders []configv1.Extender) reasons {
	var errs reasons
	root := field.NewPath("extenders")
	binders := 0
	managed := make(map[string]bool)
	for i := range extenders {
		e, at := &extenders[i], root.Index(i)
		if e.PrioritizeVerb != "" && e.Weight <= 0 {
			errs = append(errs, field.Invalid(at.Child("weight"), e.Weight, "must have a positive weight applied to it"))
		}
		if e.BindVerb != "" {
			binders++
		}
		for j, r := range e.ManagedResources {
			name := at.Child("managedResources").Index(j).Child("name")
			errs = append(errs, validateExtendedResource(name, r.Name)...)
			if managed[r.Name] {
				errs = append(errs, field.Invalid(name, r.Name, "duplicate extender managed resource name"))
			}
			managed[r.Name] = true
		}
	}
	if binders > 1 {
		errs = append(errs, field.Invalid(
			root, fmt.Sprintf("found %d extenders implementing bind", binders), "only one extender can implement bind",
		))
	}
	return errs
}

func validateExtendedResource(at *field.Path, name string) reasons {
	var errs reasons
	for _, text := range validation.IsQualifiedName(name) {
		errs = append(errs, field.Invalid(at, name, text))
	}
	if len(errs) > 0 {
		return errs
	}
	native := !strings.Contains(name, "/") || strings.Contains(name, corev1.ResourceDefaultNamespacePrefix)
	quota := corev1.DefaultResourceRequestsPrefix
	if native || strings.HasPrefix(name, quota) || len(validation.IsQualifiedName(quota+name)) > 0 {
		errs = append(errs, field.Invalid(at, name, "is an invalid extended resource name"))
	}
	return errs
}
