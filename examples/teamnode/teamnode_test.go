package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/cmd"
	"github.com/schedstep/schedstep/replay/scenario"
)

const teams = "testdata/teams.txt"

func TestTeamsKeepTheirNodes(t *testing.T) {
	text, err := os.ReadFile(teams)
	if err != nil {
		t.Fatal(err)
	}
	now, err := scenario.Rerun(teams, text, Plugin())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(now, text) {
		t.Errorf("%s says something else than what happened:\n%s", teams, now)
	}
}

// said runs a command line of a program with the plugin, and returns its output.
func said(args ...string) string {
	var out bytes.Buffer
	cmd.Main(
		cmd.WithPlugin(Plugin()), cmd.WithArgs(append([]string{"teamnode"}, args...)...),
		cmd.WithStreams(cmd.Streams{In: strings.NewReader(""), Out: &out, Err: &out}),
	)
	return out.String()
}

func TestExplainTellsTheTeams(t *testing.T) {
	page := said("explain", "db", teams)
	for _, want := range []string{Reason, "example.com/team", "blue", "red"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in:\n%s", want, page)
		}
	}
}

func TestAnOlderReleaseDecidesWhenTheProgramIsMadeForIt(t *testing.T) {
	var out bytes.Buffer
	cmd.Main(
		cmd.WithPlugin(Plugin()), cmd.WithModule("example.com/teamnode"), cmd.WithRelease("1.33"),
		cmd.WithArgs("teamnode", "run", "--help"),
		cmd.WithStreams(cmd.Streams{In: strings.NewReader(""), Out: &out, Err: &out}),
	)
	if !strings.Contains(out.String(), `(default "1.33")`) {
		t.Errorf("1.33 is not the default:\n%s", out.String())
	}
}

func TestWrongArgsAreRefusedByTheirPath(t *testing.T) {
	for args, want := range map[string]string{
		"{}":                          "pluginConfig[0].args.label: Required value",
		"{label: a b}":                "pluginConfig[0].args.label: Invalid value",
		"{label: team, free: 101}":    "pluginConfig[0].args.free: Invalid value: 101: not in valid range [0, 100]",
		"{label: team, guests: ops}":  "pluginConfig[0].args.guests: found string, want list",
		"{label: team, guest: [ops]}": "pluginConfig[0].args.guest: unknown field",
	} {
		text := "config\n  profiles:\n  - plugins: {multiPoint: {enabled: [{name: TeamNode}]}}\n" +
			"    pluginConfig: [{name: TeamNode, args: " + args + "}]\nnode n1\n"
		_, err := scenario.Rerun("test", []byte(text), Plugin())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("args %s: %v, want %q", args, err, want)
		}
	}
}
