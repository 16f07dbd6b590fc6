package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plainCluster has a pod of another scheduler, one for another disk, one with a gate that is there twice, one whose
// claim has no class, and an object of a version that there is not.
const plainCluster = `
apiVersion: v1
kind: Node
metadata: {name: cp-1}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: default}
spec: {schedulerName: volcano, containers: [{name: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: ssd, namespace: default}
spec: {nodeSelector: {disktype: ssd}, containers: [{name: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: gated, namespace: default}
spec: {schedulingGates: [{name: g}], containers: [{name: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: gated, namespace: default}
spec: {schedulingGates: [{name: g}], containers: [{name: c}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec: {storageClassName: fast, accessModes: [ReadWriteOnce]}
---
apiVersion: v1
kind: Pod
metadata: {name: claim, namespace: default}
spec: {volumes: [{name: d, persistentVolumeClaim: {claimName: data}}], containers: [{name: c}]}
---
apiVersion: v2
kind: Pod
metadata: {name: bad, namespace: default}
`

// plainSteps are typed at the prompt of the demo rollout.
const plainSteps = `next 2
explain
set weight ImageLocality 12
rewind
break outcome Unschedulable
breakpoints
clear 2
next
drain worker-1
add-node w9 like worker-1
`

// TestWhatIsSaidIsSaidPlainly runs the commands that a new operator ran. It looks for each sentence that was not
// understood, and for the one in its place.
func TestWhatIsSaidIsSaidPlainly(t *testing.T) {
	folder := t.TempDir()
	file, steps := filepath.Join(folder, "c.yaml"), filepath.Join(folder, "steps")
	for path, text := range map[string]string{file: plainCluster, steps: plainSteps} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said := ""
	for _, args := range [][]string{
		{"run", file},
		{"explain", "other", file},
		{"explain", "ssd", file},
		{"explain", "gated", file},
		{"explain", "claim", file},
		{"explain", "node/worker-1", "demo:rollout"},
	} {
		got := program(t, args...)
		said += got.out + got.err
	}
	got := program(t, "replay", "demo:rollout", "--plain", "-x", steps)
	said += got.out + got.err
	for _, plainly := range []string{
		"not in the input, and assumed absent:", "CSINode",
		"uses schedulerName volcano; no profile has that name",
		"if woken, tried again no earlier than 00:00:01", "tried again anyway after 5 minutes",
		"waits until its last gate is removed", "needs disktype=ssd; the node has no such label",
		"Any one of these would make a node fit", "(worker-2, worker-1): the order in which they were looked at decided, not chance", "is also in", "is ignored",
		"ImageLocality has weight 12", "hit 0 times", "3 of its pods recreated as pending", "added w9, a copy of worker-1",
		"unsupported apiVersion v2", "claim data wants StorageClass fast, which is not in the input",
	} {
		if !strings.Contains(said, plainly) {
			t.Errorf("nothing says %q:\n%s", plainly, said)
		}
	}
	for _, old := range []string{
		"depend on what the input holds none of", "which no profile is called", "nobody places them", "backing off until",
		"is tried all the same", "waits for one of", "has absent", "has taken;", "What alone would open", "tried in vain",
		"What it would say to pods", "is no weight", "struck", "is gone;", "it may speak of", "nothing goes on",
		"nobody schedules it any more", "made again without a node", "is there, like", "nothing about the nodes themselves",
		"of 1 or more", "came first and is left out", "is not one that is read",
	} {
		if strings.Contains(said, old) {
			t.Errorf("%q is said still:\n%s", old, said)
		}
	}
}
