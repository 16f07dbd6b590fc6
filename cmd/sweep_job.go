package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/bucket"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/sweep"
	"github.com/schedstep/schedstep/replay/ask/sweep/job"
	"github.com/schedstep/schedstep/replay/source/live"
)

// jobFlags describe the Job of a sweep, and choose whether it is printed or submitted, and whether its results are
// collected.
type jobFlags struct {
	sweepFlags
	live *liveFlags
	job  job.Options

	cpu, room, scratch string
	endpoint, region   string
	submit             bool
	dryRun             bool
	collect            string
	every              time.Duration
}

func sweepJobCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := jobFlags{sweepFlags: sweepFlags{input: inputFlags{plugins: plugins}}, live: newLiveFlags()}
	c := &cobra.Command{
		Use:   "emit-job --image IMAGE --input IN --vary KEY=V1,V2 --parallelism N -o s3://BUCKET/PREFIX",
		Short: "Print the Indexed Job of Kubernetes that plays a sweep in shards, or have a cluster run it",
		Long: `emit-job prints a Job each of whose pods plays one shard of the sweep that the other flags are of. Its
pods run as no root, without privileges, on a root that they cannot write to.

--input, given several times, is where pods find an input: s3://BUCKET/KEY, pvc:CLAIM/PATH or
configmap:NAME/KEY; a + joins parts to one input. -o is s3://BUCKET/PREFIX or pvc:CLAIM/PATH. An object
store is found by the variables in the Secret of --secret (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), and
by --s3-endpoint and --s3-region, which without the flags are those of this shell.

Without --submit nothing is sent to a cluster. With it the Job is created, which is all that this command
writes there, and followed until its end; results in an object store are then merged into --collect. With
--dry-run the API server checks the Job, and nothing is created. The same command follows a Job that it
has created before. A Job goes on when the command is stopped.`,
		Example: `  schedstep sweep emit-job --image registry/schedstep:v1 --input s3://inputs/monday.schedstep --secret s3 \
    --vary weight.NodeResourcesFit=1..50 --parallelism 16 -o s3://sweeps/monday | kubectl apply -f -
  schedstep sweep emit-job --image registry/schedstep:v1 --input pvc:recordings/monday.schedstep --queue batch \
    --vary sweep.yaml --parallelism 16 -o pvc:recordings/out --submit`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.emit(c, s) },
	}
	f.add(c)
	f.live.add(c)
	flags := c.Flags()
	must(flags.MarkHidden("shard"))
	must(flags.MarkHidden("workers"))
	flags.StringArrayVar(&f.job.Inputs, "input", nil, "an `input`: s3://BUCKET/KEY, pvc:CLAIM/PATH or configmap:NAME/KEY")
	flags.StringVar(&f.job.Name, "name", "schedstep-sweep", "what the Job is called")
	flags.StringVar(&f.job.Image, "image", "", "the `image` that has schedstep as its entry point")
	flags.IntVar(&f.job.Parallelism, "parallelism", 0, "pods at the same time, and shards unless --shards is set")
	flags.StringVar(&f.job.Queue, "queue", "", "the `LocalQueue` of Kueue that admits the Job")
	flags.StringVar(&f.job.Secret, "secret", "", "a `Secret` with the variables of the object store")
	flags.StringVar(&f.job.Account, "service-account", "", "the ServiceAccount of the pods; its token is not mounted")
	flags.IntVar(&f.job.Retries, "retries", 3, "how often a shard that failed is tried again")
	flags.IntVar(&f.job.Failing, "failing", 0, "shards that may fail in the end before the Job is given up")
	flags.StringVar(&f.cpu, "cpu", "1", "CPU of a pod")
	flags.StringVar(&f.room, "memory", "2Gi", "memory of a pod")
	flags.StringVar(&f.scratch, "scratch", "10Gi", "room of a pod for files that it fetches and writes")
	flags.StringVar(
		&f.endpoint, "s3-endpoint", "", "`address` of the object store for pods; without it AWS_ENDPOINT_URL_S3",
	)
	flags.StringVar(&f.region, "s3-region", "", "region of the object store; without it AWS_REGION")
	flags.BoolVar(&f.submit, "submit", false, "create the Job in the cluster of the current context, and follow it")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --submit: the API server checks the Job and creates none")
	flags.StringVar(&f.collect, "collect", "", "with --submit: the `folder` that results are merged into")
	flags.DurationVar(&f.every, "poll", 2*time.Second, "with --submit: how often the Job is looked at")
	return c
}

// notForwarded are flags of sweep that its command in a pod gets otherwise, or not at all.
var notForwarded = []string{"vary", "output", "shard", "shards", "workers", "quiet", "config"}

// args are the arguments of the command in a pod, besides inputs, output and shards.
func (f *jobFlags) args(c *cobra.Command) ([]string, error) {
	var args []string
	for _, a := range f.varied {
		text, err := f.textOf(a)
		if err != nil {
			return nil, err
		}
		args = append(args, "--vary", text)
	}
	if f.input.config != "" {
		inside, err := onlyMounted(f.input.config)
		if err != nil {
			return nil, phrase.Errorf("--config %w", err)
		}
		args = append(args, "--config", inside)
	}
	var own sweepFlags
	probe := &cobra.Command{}
	own.add(probe)
	c.Flags().Visit(func(flag *pflag.Flag) {
		if probe.Flags().Lookup(flag.Name) == nil || slices.Contains(notForwarded, flag.Name) {
			return
		}
		values := []string{flag.Value.String()}
		if several, is := flag.Value.(pflag.SliceValue); is {
			values = several.GetSlice()
		}
		if flag.Value.Type() == "stringToInt" {
			values[0] = strings.Trim(values[0], "[]")
		}
		for _, v := range values {
			args = append(args, "--"+flag.Name+"="+v)
		}
	})
	return args, nil
}

// textOf is an axis as an argument: pods do not have the file that it came from.
func (f *jobFlags) textOf(a sweep.Axis) (string, error) {
	divider := ","
	if a.Key == sweep.Do {
		divider = "|"
	}
	values := slices.Clone(a.Values)
	for i, v := range values {
		if strings.Contains(v, divider) {
			return "", phrase.Errorf("--vary %s: %q has a %s, and cannot be handed to a pod", a.Key, v, divider)
		}
		if a.Key == sweep.Config && v != sweep.AsItIs {
			inside, err := onlyMounted(v)
			if err != nil {
				return "", phrase.Errorf("--vary %s=%w", a.Key, err)
			}
			values[i] = inside
		}
	}
	for _, written := range f.vary {
		if a.Key != sweep.Config && strings.HasPrefix(written, a.Key+"=") {
			return written, nil // shorter: it may have ranges
		}
	}
	return a.Key + "=" + strings.Join(values, divider), nil
}

// onlyMounted is a file of a configuration as a pod sees it.
func onlyMounted(text string) (string, error) {
	place, err := job.PlaceOf(text)
	switch {
	case err != nil:
		return "", err
	case place.Kind == "s3":
		return "", phrase.Errorf("%s: a configuration is on a claim or a ConfigMap", text)
	}
	return place.Path, nil
}

// make is the Job that the flags are of.
func (f *jobFlags) make(c *cobra.Command) (*batchv1.Job, error) {
	o := f.job
	if o.Shards = f.shards; o.Shards == 0 {
		o.Shards = o.Parallelism
	}
	o.Output, o.Namespace = f.out, f.live.cluster.Namespace()
	for _, amount := range []struct {
		flag, text string
		to         *resource.Quantity
	}{{"cpu", f.cpu, &o.CPU}, {"memory", f.room, &o.Memory}, {"scratch", f.scratch, &o.Scratch}} {
		q, err := resource.ParseQuantity(amount.text)
		if err != nil {
			return nil, phrase.Errorf("--%s %q is no quantity", amount.flag, amount.text)
		}
		*amount.to = q
	}
	for _, v := range []struct{ name, value string }{
		{"AWS_ENDPOINT_URL_S3", cmp.Or(f.endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"))},
		{"AWS_REGION", cmp.Or(f.region, os.Getenv("AWS_REGION"))},
	} {
		if v.value != "" && f.usesStore() {
			o.Env = append(o.Env, corev1.EnvVar{Name: v.name, Value: v.value})
		}
	}
	var err error
	if o.Args, err = f.args(c); err != nil {
		return nil, err
	}
	o.Mounted = f.configs()
	return job.New(o)
}

// configs are the configurations that the command in a pod reads.
func (f *jobFlags) configs() []string {
	var all []string
	if f.input.config != "" {
		all = append(all, f.input.config)
	}
	for _, a := range f.varied {
		for _, v := range a.Values {
			if a.Key == sweep.Config && v != sweep.AsItIs {
				all = append(all, v)
			}
		}
	}
	return all
}

func (f *jobFlags) usesStore() bool {
	return bucket.Is(f.out) || slices.ContainsFunc(f.files(), bucket.Is)
}

// files are those of all inputs.
func (f *jobFlags) files() []string {
	var all []string
	for _, in := range f.job.Inputs {
		all = append(all, filesOf(in)...)
	}
	return all
}

// checkJob refuses what cannot be, before a cluster is looked for.
func (f *jobFlags) checkJob() error {
	switch {
	case f.shard != "":
		return usageError{phrase.Errorf("--shard is of the pods: emit-job takes --shards")}
	case !f.submit && (f.collect != "" || f.dryRun):
		return usageError{phrase.Errorf("--collect and --dry-run need --submit")}
	case f.every <= 0:
		return usageError{phrase.Errorf("--poll is more than 0")}
	case f.submit && !f.dryRun && bucket.Is(f.out) && f.collect == "":
		return usageError{phrase.Errorf("--submit needs --collect FOLDER: where the results are merged")}
	case f.collect != "" && !bucket.Is(f.out):
		return usageError{phrase.Errorf("--collect: results on a claim cannot be read from here; sweep merge in a pod that " +
			"mounts it joins them")}
	}
	return errors.Join(f.check("sweep emit-job"), checkNames("--input", f.files()...), f.readAxes())
}

func (f *jobFlags) emit(c *cobra.Command, s Streams) error {
	if err := f.checkJob(); err != nil {
		return err
	}
	plan, err := f.plan(f.job.Inputs)
	if err != nil {
		return err
	}
	j, err := f.make(c)
	if err != nil {
		return usageError{err}
	}
	if *j.Spec.Completions > int32(plan.Runs()) {
		return usageError{phrase.Errorf("there are %d runs, and %d shards are more", plan.Runs(), *j.Spec.Completions)}
	}
	if !f.submit {
		return printJob(s, j)
	}
	return f.send(c, s, j, plan)
}

func printJob(s Streams, j *batchv1.Job) error {
	text, err := yaml.Marshal(struct {
		*batchv1.Job `json:",inline"`
		Status       *batchv1.JobStatus `json:"status,omitempty"` // a manifest has none
	}{Job: j})
	if err == nil {
		_, err = s.Out.Write(text)
	}
	return err
}

// send has a cluster run the Job, once it is clear that it can be.
func (f *jobFlags) send(c *cobra.Command, s Streams, j *batchv1.Job, plan *sweep.Plan) error {
	if err := f.live.openLog(false); err != nil {
		return err
	}
	l := languageOf(c)
	keys := newQuitKeys(c.Context(), s)
	defer keys.quit(nil)
	keys.listen()
	at, err := f.live.cluster.Connect(keys.until)
	if err != nil {
		return err
	}
	j.Namespace = at.Namespace()
	rights := live.JobRights(j.Namespace)
	if err := at.Ask(keys.until, rights); err != nil {
		return err
	}
	for _, r := range rights {
		if !r.Allowed {
			return phrase.Errorf("you may not %s Jobs in the namespace %s (kubectl create role schedstep-sweep "+
				"--verb=create,get --resource=jobs.batch is what it takes)", r.Verb, j.Namespace)
		}
	}
	if err := f.rehearse(c, s, plan); err != nil {
		return err
	}
	there, err := at.CreateJob(keys.until, j, f.dryRun)
	name := j.Namespace + "/" + j.Name
	switch {
	case err != nil:
		return err
	case there != nil && !job.Same(j, there):
		return phrase.Errorf("another Job %s is there: --name names this one otherwise", name)
	case f.dryRun:
		_, err := fmt.Fprintln(s.Out, l.Say("the API server takes the Job %s; nothing was created", name))
		return err
	case there == nil:
		fmt.Fprintln(s.Err, l.Say("the Job %s was created with %d shards", name, *j.Spec.Completions))
	}
	return f.follow(keys, s, l, at, j)
}

// rehearse finds out whether each value can be played, where this machine can read the inputs.
func (f *jobFlags) rehearse(c *cobra.Command, s Streams, plan *sweep.Plan) error {
	elsewhere := func(file string) bool { return !bucket.Is(file) }
	if len(f.configs()) > 0 || slices.ContainsFunc(f.files(), elsewhere) {
		return nil
	}
	own := f.sweepFlags
	if own.out = f.collect; own.out == "" {
		own.out = os.TempDir()
	}
	st := &stage{flags: &own, command: c, streams: s, args: f.job.Inputs, plan: plan, tried: f.axes}
	defer st.end()
	if _, err := st.prepare(c.Context()); err != nil {
		return err
	}
	if !bucket.Is(f.out) || f.dryRun {
		return nil
	}
	var d depot
	defer d.end()
	return d.output(c.Context(), f.out)
}

// follow shows how far the Job is until it has ended, and merges its results.
func (f *jobFlags) follow(keys *quitKeys, s Streams, l words.Language, at *live.Cluster, j *batchv1.Job) error {
	shown := ""
	state, err := at.FollowJob(keys.until, j.Namespace, j.Name, f.every, func(state live.JobState) {
		text := l.Say("%d of %d shards", state.Succeeded, state.Shards) + l.Of(textAlso) +
			l.CountOf(state.Active, "pod active", "pods active")
		if state.Failed > 0 {
			text += l.Of(textAlso) + l.CountOf(state.Failed, "pod failed", "pods failed")
		}
		if state.Suspended {
			text += l.Of(textAlso) + l.Of("the Job is suspended")
		}
		if text == shown || f.input.quiet {
			return
		}
		if shown = text; terminal(s.Err) != nil {
			drawOver(terminal(s.Err), text)
			return
		}
		fmt.Fprintln(s.Err, text)
	})
	keys.stop()
	if to := terminal(s.Err); to != nil {
		fmt.Fprint(to, clearLine)
	}
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(s.Err, l.Say("the Job %s goes on; the same command follows it again", j.Namespace+"/"+j.Name))
		return err
	case err != nil:
		return err
	case state.Fault != "":
		return phrase.Errorf("the Job %s failed: %s (kubectl logs -n %s job/%s)", j.Namespace+"/"+j.Name, state.Fault,
			j.Namespace, j.Name)
	}
	if state.Lost != "" {
		fmt.Fprintln(s.Err, l.Say("the shards %s failed in the end: their runs are missing", state.Lost))
	}
	if f.collect == "" && state.Lost == "" {
		_, err := fmt.Fprintln(s.Out, l.Say("all %d shards are played: %s has a folder of each", state.Shards, clean(f.out)))
		return err
	}
	if f.collect == "" {
		_, err := fmt.Fprintln(s.Out, l.Say("%d of %d shards are played: %s has a folder of each", state.Succeeded,
			state.Shards, clean(f.out)))
		return err
	}
	m, err := mergeTo(keys.until, f.collect, []string{f.out}, state.Succeeded < state.Shards)
	if err != nil {
		return err
	}
	return sayMerged(s, l, m, f.collect)
}
