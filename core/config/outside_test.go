package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
)

// sizeArgs are the args of a plugin from outside.
type sizeArgs struct {
	Largest int64 `json:"largest"`
}

// size filters and scores, node by node.
type size struct{ sizeArgs }

func (*size) Name() string { return "Size" }

func (*size) Filter(*cluster.Pod, *cluster.Node) trace.Verdict { return trace.Verdict{} }

func (s *size) Score(*cluster.Pod, *cluster.Node) (int64, trace.Verdict) {
	return s.Largest, trace.Verdict{}
}

func newSize(args sizeArgs, at *field.Path) (*size, field.ErrorList) {
	if args.Largest < 0 {
		return nil, field.ErrorList{field.Invalid(at.Child("largest"), args.Largest, "is negative")}
	}
	return &size{args}, nil
}

// outside are the options with the plugin Size.
func outside() config.Options {
	p := config.NewPlugin("Size", newSize)
	p.Weight = 3
	return config.Options{Plugins: []config.Plugin{p}}
}

func TestPluginFromOutsideIsAskedWhereItsTypeSays(t *testing.T) {
	for plugins, want := range map[string]string{
		"{multiPoint: {enabled: [{name: Size}]}}":            "Filter Score:3",
		"{multiPoint: {enabled: [{name: Size, weight: 7}]}}": "Filter Score:7",
		"{score: {enabled: [{name: Size}]}}":                 "Score:3",
		"{filter: {enabled: [{name: Size}]}}":                "Filter",
		"{}":                                                 "",
	} {
		c, err := config.LoadWith([]byte(head+"profiles:\n- plugins: "+plugins+"\n"), "f.yaml", outside())
		if err != nil {
			t.Fatal(err)
		}
		var asked []string
		for _, point := range c.Expanded[0].Points {
			for _, p := range point.Plugins {
				switch {
				case p.Name != "Size":
				case p.Weight != 0:
					asked = append(asked, fmt.Sprintf("%s:%d", point.Point, p.Weight))
				default:
					asked = append(asked, string(point.Point))
				}
			}
		}
		if got := strings.Join(asked, " "); got != want {
			t.Errorf("%s: asked at %q, want %q", plugins, got, want)
		}
	}
}

func TestArgsOfAPluginFromOutsideAreRefusedByTheirPath(t *testing.T) {
	for args, want := range map[string]string{
		"{largest: 5}": "",
		"{apiVersion: example.com/v1, kind: SizeArgs, largest: 5}": "",
		"{largest: -1}":               "profiles[0].pluginConfig[0].args.largest: Invalid value: -1: is negative",
		"{larger: 5}":                 "profiles[0].pluginConfig[0].args.larger: unknown field",
		"{largest: much}":             "profiles[0].pluginConfig[0].args.largest: found string, want int64",
		"{larger: {kind: 5}}":         "profiles[0].pluginConfig[0].args.larger: unknown field",
		"{largest: 5, apiversion: 1}": "profiles[0].pluginConfig[0].args.apiversion: unknown field",
	} {
		text := head + "profiles:\n- plugins: {multiPoint: {enabled: [{name: Size}]}}\n" +
			"  pluginConfig: [{name: Size, args: " + args + "}]\n"
		_, err := config.LoadWith([]byte(text), "f.yaml", outside())
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "f.yaml: ")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}

func TestNamesOfPluginsFromOutsideAreSuggested(t *testing.T) {
	_, err := config.LoadWith(
		[]byte(head+"profiles:\n- plugins: {filter: {enabled: [{name: Sizes}]}}\n"), "f.yaml", outside(),
	)
	if err == nil || !strings.Contains(err.Error(), `(did you mean "Size"?)`) {
		t.Errorf("it says %v", err)
	}
	_, err = config.LoadWith(
		[]byte(head+"profiles:\n- plugins: {permit: {enabled: [{name: Size}]}}\n"), "f.yaml", outside(),
	)
	if err == nil || !strings.Contains(err.Error(), "has no part in permit (its type has it asked at [Filter Score])") {
		t.Errorf("it says %v", err)
	}
}

func TestPluginsThatCannotBeRegisteredAreRefused(t *testing.T) {
	hidden := func(sizeArgs, *field.Path) (framework.Plugin, field.ErrorList) { return &size{}, nil }
	twice := config.NewPlugin("Size", newSize)
	for want, plugins := range map[string][]config.Plugin{
		`plugin "NodeName": kube-scheduler ` + release.Versions()[0] + ` has a plugin of its own`: {config.NewPlugin("NodeName", newSize)},
		`plugin "Size": it is registered twice`:                                                   {twice, twice},
		`plugin "a b": this is no name`:                                                           {config.NewPlugin("a b", newSize)},
		`plugin "Size": its type implements no extension point`:                                   {config.NewPlugin("Size", hidden)},
		`plugin "": it was not made by NewPlugin`:                                                 {{}},
	} {
		if err := config.CheckPlugins(plugins); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("it says %v, want %s", err, want)
		}
	}
	o := config.Options{Plugins: []config.Plugin{config.NewPlugin("Large", newSize)}}
	_, err := config.LoadWith([]byte(head+"profiles:\n- plugins: {filter: {enabled: [{name: Large}]}}\n"), "f.yaml", o)
	if err == nil || !strings.Contains(err.Error(), "plugin Large calls itself Size") {
		t.Errorf("it says %v", err)
	}
}
