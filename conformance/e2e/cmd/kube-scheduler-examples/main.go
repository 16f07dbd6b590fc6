// Command kube-scheduler-examples is Kubernetes' own scheduler with the plugins of examples/ registered, as their
// authors would build it. It knows nothing of schedstep.
package main

import (
	"os"

	"example.com/gang"
	"example.com/licenses"
	"example.com/loadaware"
	"example.com/quota"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(
		app.WithPlugin(gang.Name, gang.New), app.WithPlugin(licenses.Name, licenses.New),
		app.WithPlugin(loadaware.Name, loadaware.New), app.WithPlugin(quota.Name, quota.New),
	)))
}
