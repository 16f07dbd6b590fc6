package cmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/cmd"
)

// crowded is a scenario: nodes with three pods each, and a pod called big that none of them takes. It lacks cpu alone,
// or four things stand in its way on every node, or five, so that no four changes help.
func crowded(nodes, hindrances int) string {
	var b strings.Builder
	words := map[int]string{
		4: " taint=team=a:NoSchedule labels=disk=hdd",
		5: " taint=team=a:NoSchedule taint=gpu=true:NoSchedule labels=disk=hdd",
	}[hindrances]
	for i := range nodes {
		fmt.Fprintf(&b, "node n%05d cpu=4 memory=8Gi zone=z%d%s\n", i, i%3, words)
		for j := range 3 {
			fmt.Fprintf(&b, "pod p%05d-%d cpu=1 memory=2Gi node=n%05d\n", i, j, i)
		}
	}
	if hindrances == 1 {
		return b.String() + "pod big cpu=2 memory=1Gi\n"
	}
	return b.String() + "pod big cpu=6 memory=12Gi node-selector=disk=ssd\n"
}

// BenchmarkExplain is the command explain as a whole, from the file to the page with every change that was run.
func BenchmarkExplain(b *testing.B) {
	for _, nodes := range []int{1000, 5000} {
		for _, hindrances := range []int{1, 4, 5} {
			b.Run(fmt.Sprintf("nodes=%d/hindrances=%d", nodes, hindrances), func(b *testing.B) {
				file := filepath.Join(b.TempDir(), "crowded.txt")
				if err := os.WriteFile(file, []byte(crowded(nodes, hindrances)), 0o600); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					var out, said strings.Builder
					code := cmd.Main(
						cmd.WithArgs("schedstep", "explain", "big", file),
						cmd.WithStreams(cmd.Streams{In: strings.NewReader(""), Out: &out, Err: &said}),
					)
					if code != 3 || !strings.Contains(out.String(), "sets of changes") {
						b.Fatalf("exit code %d\n%s\n%s", code, out.String(), said.String())
					}
				}
			})
		}
	}
}
