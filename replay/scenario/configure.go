package scenario

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
)

type settings = configv1.KubeSchedulerConfiguration

func configWords() []word[settings] {
	return []word[settings]{
		{
			name: "disable", value: "PLUGIN", does: "Leaves a plugin out, at every extension point.", many: true,
			read: func(v string) (func(*settings), error) {
				return func(c *settings) {
					p := pluginsOf(c)
					p.MultiPoint.Disabled = append(p.MultiPoint.Disabled, configv1.Plugin{Name: v})
				}, nil
			},
		},
		{name: "weight", value: "PLUGIN:NUMBER", does: "What a plugin's score counts for.", many: true, read: pluginWeight},
		{
			name: "percentage", value: "NUMBER", does: "percentageOfNodesToScore.",
			read: func(v string) (func(*settings), error) {
				n, err := integer(v)
				return func(c *settings) { c.PercentageOfNodesToScore = ptr.To(int32(n)) }, err
			},
		},
		{
			name: "initial-backoff", value: "SECONDS", does: "podInitialBackoffSeconds.",
			read: func(v string) (func(*settings), error) {
				n, err := integer(v)
				return func(c *settings) { c.PodInitialBackoffSeconds = &n }, err
			},
		},
		{name: "max-backoff", value: "SECONDS", does: "podMaxBackoffSeconds.", read: func(v string) (func(*settings), error) {
			n, err := integer(v)
			return func(c *settings) { c.PodMaxBackoffSeconds = &n }, err
		}},
	}
}

func pluginsOf(c *settings) *configv1.Plugins {
	if len(c.Profiles) == 0 {
		c.Profiles = []configv1.KubeSchedulerProfile{{Plugins: &configv1.Plugins{}}}
	}
	return c.Profiles[0].Plugins
}

func pluginWeight(v string) (func(*settings), error) {
	name, number, _ := strings.Cut(v, ":")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return nil, phrase.Errorf("%q: no weight follows the name (want NodeResourcesFit:5)", v)
	}
	return func(c *settings) {
		p := pluginsOf(c)
		p.MultiPoint.Enabled = append(p.MultiPoint.Enabled, configv1.Plugin{Name: name, Weight: ptr.To(int32(n))})
	}, nil
}

// readConfig makes a configuration of words or of a block, and tries it.
func readConfig(c *call) (action, []problem) {
	if len(c.words) > 0 && len(c.block) > 0 {
		return nil, []problem{{c.line, "config takes words or a block, not both"}}
	}
	var document []byte
	if len(c.block) > 0 {
		document = []byte(strings.Join(c.block, "\n") + "\n")
		if !strings.Contains(string(document), "apiVersion:") {
			document = append(
				[]byte("apiVersion: "+c.release.Configuration()+"\nkind: KubeSchedulerConfiguration\n"), document...,
			)
		}
	} else {
		made, wrong := readWords(c.words, configWords(), nil)
		if len(wrong) > 0 {
			return nil, wrong
		}
		document = written(made, c.release)
	}
	gates, err := config.ParseGatesOf(c.release, c.gates)
	if err != nil {
		return nil, []problem{{c.line, phrase.OnOneLine(err)}}
	}
	loaded, err := config.LoadWith(document, "config", config.Options{Gates: gates, Plugins: c.plugins})
	if err != nil {
		return nil, []problem{{c.line, phrase.OnOneLine(err)}}
	}
	if len(loaded.Warnings) > 0 {
		return nil, []problem{{c.line, phrase.JoinTexts("; ", loaded.Warnings...)}}
	}
	c.config = document
	return func(*run) error { return nil }, nil
}

// readRelease takes the version of a release that this build has.
func readRelease(c *call) (action, []problem) {
	if len(c.words) != 1 {
		return nil, []problem{{c.line, phrase.Textf("release wants one version (want release %s)", release.Newest().Version)}}
	}
	decides, known := release.Find(c.words[0].text)
	if !known {
		return nil, []problem{{c.words[0].line, phrase.Textf(
			"release %s: this build has the scheduler of %s", c.words[0].text, strings.Join(release.Versions(), ", "),
		)}}
	}
	c.release = decides
	return func(*run) error { return nil }, nil
}

// readGates takes feature gates as kube-scheduler's flag does, one a word.
func readGates(c *call) (action, []problem) {
	var settings []string
	for _, w := range c.words {
		settings = append(settings, w.text)
	}
	if len(settings) == 0 {
		return nil, []problem{{c.line, "gates wants at least one (want gates GenericWorkload=true)"}}
	}
	c.gates = strings.Join(settings, ",")
	if _, err := config.ParseGatesOf(c.release, c.gates); err != nil {
		return nil, []problem{{c.line, phrase.OnOneLine(err)}}
	}
	return func(*run) error { return nil }, nil
}

// written is the configuration that words describe, as a document. JSON holds whatever a word can.
func written(made changes[settings], r *release.Release) []byte {
	c := &settings{}
	c.APIVersion, c.Kind = r.Configuration(), "KubeSchedulerConfiguration"
	for _, change := range made.early {
		change(c)
	}
	document, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("a configuration cannot be written: %v", err))
	}
	return document
}
