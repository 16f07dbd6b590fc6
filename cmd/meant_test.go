package cmd_test

import (
	"strings"
	"testing"
)

// TestWhatWasMeantIsNamed mistypes flags, their values, commands and names.
func TestWhatWasMeantIsNamed(t *testing.T) {
	for line, meant := range map[string]string{
		"run --kube-verson 1.30 demo:pending":                               "--kube-version",
		"replay --theme drak demo:pending":                                  "dark",
		"rnu demo:pending":                                                  "run",
		"plan drian":                                                        "drain",
		"plan darin --force gpu-a demo:pending":                             "drain",
		"sweep raport out":                                                  "report",
		"sweep tuen demo:pending --trials 3":                                "tune",
		"exprot run --to md demo:pending":                                   "export",
		"export cycel demo:pending":                                         "cycle",
		"run demo:pendng":                                                   "pending",
		"run -o jsno demo:pending":                                          "json",
		"run --fail-on nevr demo:pending":                                   "never",
		"run --extenders recorde demo:pending":                              "recorded",
		"plan drain gpu-a --by pdo demo:pending":                            "pod",
		"run --break plugin@NodeResourceFit demo:pending":                   "NodeResourcesFit",
		"run --feature-gates DRAExtendedResorce=true demo:pending":          "DRAExtendedResource",
		"diff --a weight=ImageLocalty=5 --b kube-version=1.36 demo:pending": "ImageLocality",
		"diff --a kube-verson=1.30 --b kube-version=1.31 demo:gates":        "kube-version",
		"whatif --do set@weight@ImageLocalty@5 demo:pending":                "ImageLocality",
		"whatif --do cordn@cpu-1 demo:pending":                              "cordon",
		"plan drain gpua demo:pending":                                      "gpu-a",
		"plan pack gpua demo:pending":                                       "gpu-a",
		"reduce --claim pod@gpu-1@is@unschedulabel demo:pending":            "unschedulable",
		"lint --ignore spreadtrap demo:pending":                             "spread-trap",
		"explain gpu1 demo:pending":                                         "default/gpu-1",
		"bisect --kube-version=9 --frm=1 demo:pending":                      "--from",
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "@", " ")
		}
		p := program(t, args...)
		if want := `(did you mean "` + meant + `"?)`; p.code == 0 || p.code == 3 || !strings.Contains(p.err, want) {
			t.Errorf("%s: exit code %d, no %s in %s", line, p.code, want, p.err)
		}
	}
}

// TestKeysFitATerminal prints lists no line of which is wider than 100 columns.
func TestKeysFitATerminal(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		for line := range strings.Lines(program(t, "keys", "--lang", lang).out) {
			if len([]rune(line)) > 101 {
				t.Errorf("%s: %d columns: %s", lang, len([]rune(line)), line)
			}
		}
	}
}
