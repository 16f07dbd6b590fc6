package cmd_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
)

func TestPluginsThatAreNotJudgedAreNamed(t *testing.T) {
	p := program(t, "run", "testdata/every_field.yaml")
	_, note, told := strings.Cut(p.err, "not judged by this build")
	unjudged := config.Default().Profiles[0].Unjudged
	if told != (len(unjudged) > 0) {
		t.Errorf("%d plugins are not judged; the notes say:\n%s", len(unjudged), p.err)
	}
	for _, plugin := range unjudged {
		if !strings.Contains(note, plugin) {
			t.Errorf("no note names %s:\n%s", plugin, p.err)
		}
	}
}

func TestNotesOfARealClusterFitAScreen(t *testing.T) {
	p := program(t, "run", samples+"sbctl-bundle", "testdata/probe.yaml")
	if lines := strings.Count(p.err, "\n"); lines > 8 {
		t.Errorf("%d lines of notes for 2 cycles:\n%s", lines, p.err)
	}
}

func TestOnlyKindsSomePodDependsOnAreMissed(t *testing.T) {
	p := program(t, "run", "testdata/every_field.yaml")
	for _, kind := range []string{"ResourceSlice", "CSINode", "PodGroup", "PersistentVolume"} {
		if strings.Contains(p.err, kind) {
			t.Errorf("no pod depends on %s:\n%s", kind, p.err)
		}
	}
}

func TestManyPodsRefusedForOneReasonAreOneSentence(t *testing.T) {
	p := program(t, "run", "testdata/every_field.yaml", "testdata/no_limits.yaml")
	if n := strings.Count(p.err, "refused: "); n != 1 || !strings.Contains(p.err, "and 2 more like it") {
		t.Errorf("%d sentences:\n%s", n, p.err)
	}
	if p.code != 1 || !strings.Contains(p.out, "default/plain") {
		t.Errorf("exit code %d, and what was readable:\n%s", p.code, p.out)
	}
}
