// Command price is an extender of kube-scheduler that knows what nodes cost. A pod that may cost only so much an hour
// goes to no dearer node, and of the nodes that are left cheaper ones score higher.
//
// Prices come from a file: {"instance type": dollars an hour}. The configuration of a kube-scheduler that calls it is
// config.yaml.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	address := flag.String("listen", "127.0.0.1:8888", "where kube-scheduler finds it")
	file := flag.String("prices", "prices.json", "what an hour of each instance type costs")
	flag.Parse()
	if err := run(*address, *file); err != nil {
		log.Fatal(err)
	}
}

func run(address, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	list := Prices{}
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	at, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", at.Addr())
	server := &http.Server{Handler: list.Handler(), ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(at)
}
