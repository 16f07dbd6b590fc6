package cmd_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// extenderExample builds the extender of examples/ and starts it on a free port of this machine. It returns its
// configuration with that address, and the function that ends it.
func extenderExample(t *testing.T) (configuration string, stop func()) {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "price.exe")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../examples/price"
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	server := exec.Command(program, "--listen", "127.0.0.1:0", "--prices", "../examples/price/prices.json")
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	stop = func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}
	t.Cleanup(stop)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../examples/price/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const fixed = "http://127.0.0.1:8888"
	if strings.Count(string(text), fixed) != 1 {
		t.Fatalf("config.yaml does not name %s once", fixed)
	}
	configuration = filepath.Join(folder, "config.yaml")
	own := strings.Replace(string(text), fixed, strings.TrimSpace(address), 1)
	if err := os.WriteFile(configuration, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	return configuration, stop
}

// TestTheExampleOfAnExtenderDecides plays the cluster of the example with its server on this machine, and once more
// from a recording when the server is gone.
func TestTheExampleOfAnExtenderDecides(t *testing.T) {
	configuration, stop := extenderExample(t)
	const input = "../examples/price/cluster.yaml"
	out, _ := said(t, 3, "run", input, "--config", configuration)
	for _, want := range []string{
		"Successfully assigned default/any to cheap", // its score outweighs the room that the other node has
		"0/2 nodes are available: 1 Insufficient cpu, 1 node costs more than 0.20 an hour.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	alone, _ := said(t, 0, "run", input)
	if !strings.Contains(alone, "Successfully assigned default/any to dear") {
		t.Errorf("without the extender:\n%s", alone)
	}
	page, _ := said(t, 0, "explain", "any", input, "--config", configuration)
	if !strings.Contains(page, "prioritize: 2 of 2 nodes scored") {
		t.Errorf("explain:\n%s", page)
	}
	kept := filepath.Join(t.TempDir(), "kept.schedstep")
	said(t, 0, "convert", input, "--config", configuration, "-o", kept)
	stop()
	if again, _ := said(t, 3, "run", kept); again != out {
		t.Errorf("the recording plays otherwise:\n%s\n%s", again, out)
	}
}

func TestAScenarioAnswersForItsExtendersWhateverIsWanted(t *testing.T) {
	const scenario = "../core/testdata/extender_filters.txt"
	const note = "note: the scenario says what its extenders answer, so that --extenders ask asks no server\n"
	if _, errs := said(t, 3, "run", scenario, "--extenders", "ask"); !strings.Contains(errs, note) {
		t.Errorf("with --extenders ask: %s", errs)
	}
	if _, errs := said(t, 3, "run", scenario); strings.Contains(errs, "asks no server") {
		t.Errorf("without it: %s", errs)
	}
}

// TestTheExampleOfAnExtenderImportsNothingOfSchedstep: it is written as its author would, who does not know schedstep.
func TestTheExampleOfAnExtenderImportsNothingOfSchedstep(t *testing.T) {
	files, err := filepath.Glob("../examples/price/*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "schedstep") {
			t.Errorf("%s names schedstep", file)
		}
	}
}
