package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/replay/session/lint"
)

// home is where the pages of the documents are.
const home = "https://github.com/schedstep/schedstep"

// pageOf is the address of a rule's page.
func pageOf(code string) string { return home + "/blob/main/docs/lint/" + code + ".md" }

// inFile takes a source apart: the file, and a line of it if there is one.
var inFile = regexp.MustCompile(`^(.+?)(?: line (\d+)| item \d+)?(?: \(.*)?$`)

// place is where an object was found: no file for standard input, and line 0 for none in particular.
func (f *finding) place() (file string, line int) {
	at := inFile.FindStringSubmatch(f.Source)
	if at == nil || at[1] == "-" || at[1] == "standard input" {
		return "", 0
	}
	line, _ = strconv.Atoi(at[2])
	return at[1], line
}

// The parts of the Static Analysis Results Interchange Format, version 2.1.0, that GitHub and others read.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Name    string       `json:"name"`
		Short   sarifText    `json:"shortDescription"`
		Full    sarifText    `json:"fullDescription"`
		Help    sarifText    `json:"help"`
		HelpURI string       `json:"helpUri"`
		Default sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level lint.Level `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   lint.Level `json:"level"`
		Message sarifText  `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        lint.Level        `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

// sarif is a run of lint; what was refused of the input stands beside the results.
func sarif(found []finding, refused []string) sarifLog {
	run := sarifRun{Results: []sarifResult{}, Invocations: []sarifInvocation{{Successful: len(refused) == 0}}}
	for _, text := range refused {
		run.Invocations[0].Notifications = append(
			run.Invocations[0].Notifications, sarifNotification{lint.Error, sarifText{text}},
		)
	}
	driver := sarifDriver{Name: "schedstep", Version: versionOfBuild(), InformationURI: home, Rules: []sarifRule{}}
	at := map[string]int{}
	for i, r := range lint.Rules() {
		at[r.Code] = i
		driver.Rules = append(driver.Rules, sarifRule{
			ID: r.Code, Name: r.Name, Short: sarifText{r.About}, Full: sarifText{r.About + ": " + r.Why},
			Help: sarifText{r.Why + " (" + pageOf(r.Code) + ")"}, HelpURI: pageOf(r.Code), Default: sarifDefault{r.Level},
		})
	}
	run.Tool = sarifTool{driver}
	for i := range found {
		f := &found[i]
		sum := sha256.Sum256([]byte(f.Code + "\n" + f.Object + "\n" + f.Says.String()))
		run.Results = append(run.Results, sarifResult{
			RuleID: f.Code, RuleIndex: at[f.Code], Level: f.Level, Message: sarifText{f.text()},
			Locations:    []sarifLocation{{f.physical(), []sarifLogical{{f.Object, "resource"}}}},
			Fingerprints: map[string]string{"schedstep/v1": hex.EncodeToString(sum[:])},
		})
	}
	return sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	}
}

// physical is the file, as a URI, and the line; nil where the input was no file.
func (f *finding) physical() *sarifPhysical {
	file, line := f.place()
	if file == "" {
		return nil
	}
	uri := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		uri.Scheme = "file"
	}
	p := &sarifPhysical{Artifact: sarifArtifact{strings.TrimPrefix(uri.String(), "./")}}
	if line > 0 {
		p.Region = &sarifRegion{line}
	}
	return p
}

// The parts of the XML of JUnit that CI servers read.
type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string    `xml:"classname,attr"`
		Name    string    `xml:"name,attr"`
		File    string    `xml:"file,attr,omitempty"`
		Line    int       `xml:"line,attr,omitempty"`
		Failure *junitBad `xml:"failure"`
		Error   *junitBad `xml:"error"`
	}
	junitBad struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a test for each finding, which failed, and one for each rule that found nothing, which passed. What
// was refused of the input is an error of the test "input".
func writeJUnit(out io.Writer, found []finding, refused []string) error {
	suite := junitSuite{Name: "schedstep lint"}
	for _, text := range refused {
		suite.Errors++
		suite.Cases = append(suite.Cases, junitCase{
			Class: "input", Name: clean(text), Error: &junitBad{Type: "refused", Message: clean(text)},
		})
	}
	for _, r := range lint.Rules() {
		class, failed := r.Code+" "+r.Name, false
		for i := range found {
			if f := &found[i]; f.Code == r.Code {
				file, line := f.place()
				suite.Cases = append(suite.Cases, junitCase{
					Class: class, Name: clean(f.Object), File: clean(file), Line: line,
					Failure: &junitBad{string(r.Level), clean(f.text()), r.Why + "\n" + pageOf(r.Code)},
				})
				failed = true
				suite.Failures++
			}
		}
		if !failed {
			suite.Cases = append(suite.Cases, junitCase{Class: class, Name: r.About})
		}
	}
	suite.Tests = len(suite.Cases)
	text, err := xml.MarshalIndent(junitSuites{
		Name: suite.Name, Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Suite: suite,
	}, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, xml.Header+string(text)+"\n")
	return err
}
