package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
	"fmt"

	"github.com/schedstep/schedstep/cmd"
)

func main() {
	f, _ := os.Create("/tmp/w/c-out/cpu.prof")
	pprof.StartCPUProfile(f)
	runtime.MemProfileRate = 64 << 10
	go func() {
		for n := 0; ; n++ {
			time.Sleep(4 * time.Second)
			h, _ := os.Create(fmt.Sprintf("/tmp/w/c-out/heap.%d.prof", n))
			pprof.Lookup("heap").WriteTo(h, 0)
			h.Close()
		}
	}()
	code := cmd.Main()
	pprof.StopCPUProfile()
	os.Exit(code)
}
