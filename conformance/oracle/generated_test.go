package oracle_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/internal/law"
)

// TestOracleReadsEveryCycleAsItRan relies on Schedule comparing its separate
// runs of filters and scores with what the cycle itself decided.
func TestOracleReadsEveryCycleAsItRan(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		c := generate.Cases().Draw(t, "case")
		configuration := generate.Configurations().Draw(t, "configuration")
		o := waiting(t, c, configuration)
		defer o.Close()
		run(t, o, c.Pending)
		for _, change := range c.Churn {
			var err error
			if change.After == nil {
				err = o.Remove(change.Before)
			} else {
				err = o.Put(change.After)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, pod := range c.Pending {
				o.Hints(pod, oracle.Change(change))
			}
		}
		run(t, o, c.Pending)
	})
}

func run(t *rapid.T, o *oracle.Oracle, pending []*corev1.Pod) {
	for _, pod := range pending {
		answer, err := o.Schedule(pod)
		if err != nil {
			t.Fatal(err)
		}
		host := answer.Decision.Host
		if host == "" {
			continue
		}
		if err := o.Assume(pod, host); err != nil {
			t.Fatal(err)
		}
		if err := o.Forget(pod.Namespace + "/" + pod.Name); err != nil {
			t.Fatal(err)
		}
	}
}
