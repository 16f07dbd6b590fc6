// Command versus runs kube-scheduler 1.37.1 and schedstep's core beside each other and prints a table of how fast each
// is. It exits with 1 where schedstep falls short of what we hold ourselves to.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/schedstep/schedstep/conformance/versus"
)

func main() {
	nodes := flag.String("nodes", "100,1000,5000", "numbers of nodes")
	workload := flag.String("workload", "", "only workloads whose name contains this")
	percent := flag.String("percent", "0,100", "percentages of nodes to score; 0: kube-scheduler's default sampling")
	rounds := flag.Int("rounds", 5, "rounds of each row; the medians are printed")
	least := flag.Duration("least", 200*time.Millisecond, "measured time of each contestant in a round, at least")
	cycles := flag.Int("cycles", 0, "cycles in a heat, at most; 0: as many as suit the number of nodes")
	profile := flag.String("cpuprofile", "", "write a CPU profile of it all into this file")
	alone := flag.String(
		"alone", "", "run one contestant once and print how many cycles it ran, for a program that counts instructions:"+
			" schedstep, or matrix",
	)
	flag.Parse()
	if *alone != "" {
		if err := runAlone(*alone, *nodes, *percent, *workload, versus.Options{Cycles: *cycles}); err != nil {
			fmt.Fprintln(os.Stderr, "versus:", err)
			os.Exit(2)
		}
		return
	}
	short, err := run(
		*nodes, *percent, *workload, *profile, versus.Options{Rounds: *rounds, Least: *least, Cycles: *cycles},
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, "versus:", err)
		os.Exit(2)
	}
	if len(short) > 0 {
		fmt.Println("\nFalls short:")
		for _, s := range short {
			fmt.Println("-", s)
		}
		os.Exit(1)
	}
}

func run(nodes, percent, workload, profile string, o versus.Options) ([]string, error) {
	rows, err := rowsOf(nodes, percent, workload)
	if err != nil {
		return nil, err
	}
	if o.Rounds < 1 {
		return nil, fmt.Errorf("-rounds %d: at least 1 is needed", o.Rounds)
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, err
		}
		defer pprof.StopCPUProfile()
	}
	var short []string
	fmt.Printf("%s, %d CPUs, %d rounds, load at the start %s\n\n", runtime.Version(), runtime.NumCPU(), o.Rounds, load())
	fmt.Print(versus.Head())
	for _, row := range rows {
		result, err := versus.Run(row, o)
		if err != nil {
			return nil, err
		}
		fmt.Print(result.Line())
		short = append(short, result.Short()...)
	}
	fmt.Printf("\nLoad at the end %s.\n", load())
	return short, nil
}

// runAlone runs schedstep once in every row that is meant.
func runAlone(who, nodes, percent, workload string, o versus.Options) error {
	lane, is := map[string]versus.Lane{"schedstep": versus.Untraced, "matrix": versus.Matrix}[who]
	if !is {
		return fmt.Errorf("-alone %q: use schedstep or matrix", who)
	}
	rows, err := rowsOf(nodes, percent, workload)
	if err != nil {
		return err
	}
	for _, row := range rows {
		ran, err := versus.Alone(row, o, lane)
		if err != nil {
			return err
		}
		fmt.Printf("%d nodes, %s, %d%%: %d cycles\n", row.Nodes, row.Workload.Name, row.Percentage, ran)
	}
	return nil
}

// rowsOf are the rows that the flags mean; there is at least one.
func rowsOf(nodes, percent, workload string) ([]versus.Row, error) {
	sizes, err := numbers("nodes", nodes, 1)
	if err != nil {
		return nil, err
	}
	percentages, err := numbers("percent", percent, 0)
	if err != nil {
		return nil, err
	}
	var rows []versus.Row
	for _, n := range sizes {
		for _, w := range versus.Workloads() {
			for _, p := range percentages {
				if strings.Contains(w.Name, workload) {
					rows = append(rows, versus.Row{Workload: w, Nodes: n, Percentage: int32(p)})
				}
			}
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no workload has %q in its name", workload)
	}
	return rows, nil
}

func numbers(flag, list string, least int) ([]int, error) {
	var out []int
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < least {
			return nil, fmt.Errorf("-%s %q: want numbers of %d or more, separated by commas", flag, list, least)
		}
		out = append(out, n)
	}
	return out, nil
}

// load is the machine's load average over a minute, or "unknown".
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(text))[0]
}
