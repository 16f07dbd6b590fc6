package core

import (
	"fmt"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// What only kube-scheduler 1.19 and earlier do in a cycle (framework.Behaviour has the switches).

// hasClaims reports whether the claims of the pod are there, where a release looks for them first.
func (c *cycle) hasClaims() bool {
	if !c.profile.Behaviour.MissingClaimEndsCycle {
		return true
	}
	for _, use := range c.pod.Claims {
		if use.Ephemeral {
			continue
		}
		switch claim, there := c.snapshot.Objects().VolumeClaims.Find(c.pod.ClaimKey(use)); {
		case !there:
			c.failure = broken(fmt.Sprintf("persistentvolumeclaim %q not found", use.Name))
			return false
		case claim.DeletionTimestamp != nil:
			c.failure = broken(fmt.Sprintf("persistentvolumeclaim %q is being deleted", claim.Name))
			return false
		}
	}
	return true
}

// spoken is a study in a release where no plugin skips; in the others a plugin that skips has no check.
func (c *cycle) spoken(study framework.Study) framework.Study {
	if !c.profile.Behaviour.NoPluginSkipped && study.Verdict.Code == trace.Skip {
		study.Check = nil
	}
	if !c.profile.Behaviour.NoPluginSkipped || study.Verdict.Code != trace.Skip && study.Verdict.Code != trace.Success {
		return study
	}
	if study.Verdict = (trace.Verdict{}); study.Check == nil {
		study.Check = framework.Plain{}
	}
	return study
}
