package live

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/schedstep/schedstep/internal/phrase"
)

// JobRights are those that creating and following a Job of a namespace needs.
func JobRights(namespace string) []Right {
	var rights []Right
	for _, verb := range []string{"create", "get"} {
		rights = append(rights, Right{Group: batchv1.GroupName, Resource: "jobs", Namespace: namespace, Verb: verb})
	}
	return rights
}

// jobs talks about Jobs, and may write.
func (c *Cluster) jobs() (*rest.RESTClient, error) {
	config := c.writingConfig()
	config.ContentType = "application/json"
	return clientFor(config, c.writing, batchv1.SchemeGroupVersion)
}

// CreateJob creates a Job, or with dry has the server check it alone. A Job of this name that is there already is
// returned, and stays as it is.
func (c *Cluster) CreateJob(ctx context.Context, job *batchv1.Job, dry bool) (there *batchv1.Job, err error) {
	client, err := c.jobs()
	if err != nil {
		return nil, err
	}
	limited, cancel := c.withinAnswerTime(ctx)
	defer cancel()
	o := &metav1.CreateOptions{FieldManager: "schedstep", FieldValidation: metav1.FieldValidationStrict}
	if dry {
		o.DryRun = []string{metav1.DryRunAll}
	}
	post := client.Post().Namespace(job.Namespace).Resource("jobs").VersionedParams(o, parameters)
	err = post.Body(job).Do(limited).Error()
	switch {
	case apierrors.IsAlreadyExists(err):
		if there, err = c.job(ctx, client, job.Namespace, job.Name); err != nil {
			return nil, c.sentenceOfJob(err, job.Namespace, job.Name)
		}
	case err != nil:
		return nil, c.sentence(c.endOf(limited, err))
	}
	return there, nil
}

func (c *Cluster) job(ctx context.Context, client *rest.RESTClient, namespace, name string) (*batchv1.Job, error) {
	ctx, cancel := c.withinAnswerTime(ctx)
	defer cancel()
	var job batchv1.Job
	if err := client.Get().Namespace(namespace).Resource("jobs").Name(name).Do(ctx).Into(&job); err != nil {
		return nil, c.endOf(ctx, err)
	}
	if job.Name != name {
		return nil, errNotKubernetes
	}
	return &job, nil
}

// sentenceOfJob explains why a request about a Job failed.
func (c *Cluster) sentenceOfJob(err error, namespace, name string) error {
	if apierrors.IsNotFound(err) {
		return phrase.Errorf("the Job %s/%s is gone", namespace, name)
	}
	return c.sentence(err)
}

// JobState is how far a Job is.
type JobState struct {
	Shards    int
	Active    int
	Succeeded int
	Failed    int  // pods, of which some were tried again
	Suspended bool // such as by a queue
	Ended     bool
	Lost      string // the shards that failed in the end, such as 1,4-6; "": none
	Fault     string // why it was given up; "": it goes on, or has what it may have
}

// stateOf reads the status of a Job.
func stateOf(j *batchv1.Job) JobState {
	s := JobState{
		Active: int(j.Status.Active), Succeeded: int(j.Status.Succeeded), Failed: int(j.Status.Failed),
		Suspended: j.Spec.Suspend != nil && *j.Spec.Suspend,
	}
	if j.Spec.Completions != nil {
		s.Shards = int(*j.Spec.Completions)
	}
	if j.Status.FailedIndexes != nil {
		s.Lost = *j.Status.FailedIndexes
	}
	for _, c := range j.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case batchv1.JobComplete:
			s.Ended = true
		case batchv1.JobFailed:
			s.Ended = true
			if c.Reason == batchv1.JobReasonFailedIndexes && s.Succeeded > 0 {
				continue // every shard has ended, and no more of them failed than may
			}
			if s.Fault = c.Reason + ": " + c.Message; s.Lost != "" {
				s.Fault += " (" + s.Lost + ")"
			}
		}
	}
	return s
}

// mostSilences is how often in a row a server may not answer before a Job is no longer followed.
const mostSilences = 30

// FollowJob reads how far a Job is every so often until it has ended. The function told is called with every state.
func (c *Cluster) FollowJob(
	ctx context.Context, namespace, name string, every time.Duration, told func(JobState),
) (JobState, error) {
	client, err := c.jobs()
	if err != nil {
		return JobState{}, err
	}
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for silent := 0; ; {
		job, err := c.job(ctx, client, namespace, name)
		switch {
		case ctx.Err() != nil:
			return JobState{}, ctx.Err()
		case apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
			return JobState{}, c.sentenceOfJob(err, namespace, name)
		case err != nil:
			if silent++; silent >= mostSilences {
				return JobState{}, c.sentence(err)
			}
		default:
			silent = 0
			state := stateOf(job)
			if told(state); state.Ended {
				return state, nil
			}
		}
		select {
		case <-ctx.Done():
			return JobState{}, ctx.Err()
		case <-ticks.C:
		}
	}
}
