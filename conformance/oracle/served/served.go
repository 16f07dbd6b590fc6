// Package served answers questions of package wire with package oracle, which is compiled against one release of
// kube-scheduler from 1.29 on. It adds nothing to either.
package served

import (
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/linked"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/conformance/wire"
)

// Serve answers until there are no more questions.
func Serve(in io.Reader, out io.Writer) error { return wire.Serve(release{}, in, out) }

// release is the kube-scheduler that this program is linked with.
type release struct{}

// Version is the release's patch.
func (release) Version() string { return linked.Version() }

// Features are all registered ones.
func (release) Features() []answer.Gate { return oracle.Gates() }

// Kinds are those of package oracle.
func (release) Kinds() ([]string, error) {
	var list []string
	for _, o := range oracle.Kinds() {
		kinds, _, err := scheme.Scheme.ObjectKinds(o)
		if err != nil {
			return nil, err
		}
		list = append(list, kinds[0].GroupVersion().String()+" "+kinds[0].Kind)
	}
	return list, nil
}

// Decode reads what the release's client reads.
func (release) Decode(data []byte) (runtime.Object, error) {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	return object, err
}

// Begin sets the gates of the process until the end.
func (release) Begin(configuration []byte, gates string) (wire.Scheduler, func(), error) {
	back, err := oracle.SetGates(gates)
	if err != nil {
		return nil, nil, err
	}
	o, err := oracle.New(nil, oracle.Options{Configuration: configuration})
	if err != nil {
		back()
		return nil, nil, err
	}
	return o, func() { o.Close(); back() }, nil
}
