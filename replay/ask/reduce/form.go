package reduce

import (
	"bytes"
	"context"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/importer/admission"
)

// Form is how what is left is written.
type Form string

// The forms. Recording is written by package recording, and is not read again: it keeps all.
const (
	AsScenario  Form = "scenario"
	AsYAML      Form = "yaml"
	AsGo        Form = "go"
	AsPerf      Form = "perf"
	AsRecording Form = "recording"
)

// Forms are all of them.
func Forms() []string {
	return []string{string(AsScenario), string(AsYAML), string(AsGo), string(AsPerf), string(AsRecording)}
}

// Setting is what an input is played under.
type Setting struct {
	Config *config.Config
	Text   []byte // of Config; nil: the default one
}

// Heading is what stands above the events of an input. Of the configuration it has what a recording has of it.
func (s Setting) Heading(in *input.Input, shows string) Heading {
	gates := s.Config.Gates
	h := Heading{
		Shows: shows, Release: gates.Release().Version, Gates: gates.String(), Until: in.Until, Percentage: in.Percentage,
	}
	if text, err := yaml.JSONToYAML(config.Kept(s.Text)); err == nil && s.Text != nil {
		if !bytes.Contains(text, []byte("apiVersion:")) {
			text = append([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"), text...)
		}
		h.Config = text
	}
	return h
}

// Again writes an input in a form, and reads it. A case of scheduler_perf is made of manifests, and a Go test too where
// all objects are there from the beginning, else of a scenario. What the form has no words for, and flags of schedstep
// have, is as it was.
func (s Setting) Again(ctx context.Context, form Form, in *input.Input) (*input.Input, error) {
	if form == AsScenario || form == AsGo && !areThere(in.Script) {
		text, err := Scenario(s.Heading(in, "again"), in.Script)
		if err != nil {
			return nil, err
		}
		read, err := input.ReadScenario("reduced", bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		read.Seed, read.Percentage = in.Seed, in.Percentage
		return read, nil
	}
	text, err := YAML(s.Heading(in, "again"), in.Script)
	if err != nil {
		return nil, err
	}
	read, err := input.Read(ctx, []string{"-"}, input.Options{
		Stdin: bytes.NewReader(text), Rules: admission.RulesOf(s.Config.Gates.On),
	})
	if err != nil {
		return nil, err
	}
	if len(read.Refused) > 0 {
		return nil, phrase.Errorf("%s", read.Refused[0])
	}
	read.Seed, read.Percentage = in.Seed, in.Percentage
	read.Release, read.Told, read.Gates = in.Release, in.Told, in.Gates
	return read, nil
}

// FilledIn is a script with objects as they are once an API server has filled in their defaults; nodes and pods, which
// a scheduler takes without, stay short.
func FilledIn(script, defaulted source.Script) source.Script {
	filled := slices.Clone(script)
	for i := range filled {
		kind, _ := cluster.KindOf(filled[i].Event.Object)
		if kind == cluster.KindNode || kind == cluster.KindPod {
			continue
		}
		if len(defaulted) == len(script) && source.IDOf(defaulted[i].Event.Object) == source.IDOf(script[i].Event.Object) {
			filled[i].Event.Object = defaulted[i].Event.Object
			continue
		}
		at := slices.IndexFunc(defaulted, func(t source.Timed) bool {
			other, _ := cluster.KindOf(t.Event.Object)
			return other == kind && cluster.Key(t.Event.Object) == cluster.Key(filled[i].Event.Object)
		})
		if at >= 0 {
			filled[i].Event.Object = defaulted[at].Event.Object
		}
	}
	return filled
}
