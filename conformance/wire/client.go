package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/schedstep/schedstep/conformance/oracle"
)

// Build makes the program of a release out of its module, conformance/releases/<module>, and returns its path. What Go
// has built before it keeps.
func Build(ctx context.Context, module, tag, into string) (string, error) {
	program := filepath.Join(into, "oracle-"+module)
	build := exec.CommandContext(ctx, "go", "build", "-tags", tag, "-o", program, ".")
	build.Dir = filepath.Join("..", "releases", module)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("oracle %s: %w\n%s", module, err, out)
	}
	return program, nil
}

// Client is an oracle that runs as a program.
type Client struct {
	program *exec.Cmd
	in      io.WriteCloser
	lines   *json.Encoder
	replies *json.Decoder
}

// Start runs a program that Serve answers in.
func Start(ctx context.Context, program string) (*Client, error) {
	c := &Client{program: exec.CommandContext(ctx, program)}
	c.program.Stderr = os.Stderr
	in, err := c.program.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.program.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.lines, c.replies = in, json.NewEncoder(in), json.NewDecoder(out)
	return c, c.program.Start()
}

// Close ends the program.
func (c *Client) Close() error { return errors.Join(c.in.Close(), c.program.Wait()) }

// Begin empties the cluster.
func (c *Client) Begin() error { return c.tell(question{Begin: true}) }

// Put adds or updates objects.
func (c *Client) Put(objects ...runtime.Object) error {
	for _, o := range objects {
		data, err := encoded(o)
		if err != nil {
			return err
		}
		if err := c.tell(question{Put: data}); err != nil {
			return err
		}
	}
	return nil
}

// Schedule runs one cycle for a pod that was put, as Oracle.Schedule does.
func (c *Client) Schedule(pod *corev1.Pod) (oracle.Answer, error) {
	data, err := encoded(pod)
	if err != nil {
		return oracle.Answer{}, err
	}
	r, err := c.ask(question{Schedule: data})
	if err != nil {
		return oracle.Answer{}, err
	}
	return *r.Answer, nil
}

func (c *Client) tell(q question) error {
	_, err := c.ask(q)
	return err
}

func (c *Client) ask(q question) (reply, error) {
	var r reply
	if err := c.lines.Encode(q); err != nil {
		return r, fmt.Errorf("oracle: %w", err)
	}
	if err := c.replies.Decode(&r); err != nil {
		return r, fmt.Errorf("oracle: %w", err)
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// encoded is an object with the apiVersion and kind that its Go type says.
func encoded(o runtime.Object) ([]byte, error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return nil, err
	}
	o = o.DeepCopyObject()
	o.GetObjectKind().SetGroupVersionKind(kinds[0])
	return json.Marshal(o)
}
