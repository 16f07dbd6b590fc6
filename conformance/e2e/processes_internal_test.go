package e2e

import "testing"

func TestPathsBelowAMountAreBelowItsFolder(t *testing.T) {
	m := mounts{"/tmp": "/tmp/scratch", "/pvc/rec": "/tmp/claims/rec", "/configmap/a": "/tmp/a"}
	for text, want := range map[string]string{
		"/tmp":                            "/tmp/scratch",
		"/pvc/rec/a.json+/pvc/rec/b.json": "/tmp/claims/rec/a.json+/tmp/claims/rec/b.json",
		"config=-,/configmap/a/x.yaml":    "config=-,/tmp/a/x.yaml",
		"s3://sweeps/tmp/shard-1":         "s3://sweeps/tmp/shard-1",
		"/pvc/recordings":                 "/pvc/recordings",
		"demo:preemption":                 "demo:preemption",
	} {
		if got := m.inside(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
