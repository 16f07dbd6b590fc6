package outside

import (
	"strings"
	"testing"
	"time"
)

func TestAProgramReadsAndWrites(t *testing.T) {
	output, err := Run([]string{"sh", "-c", "cat; echo $SCHEDSTEP_SEED"}, []byte("in "), 7)
	if err != nil || string(output) != "in 7\n" {
		t.Errorf("%q, %v", output, err)
	}
}

func TestAProgramThatFailsIsToldOf(t *testing.T) {
	_, err := Run([]string{"sh", "-c", "echo no such pod >&2; exit 4"}, nil, 0)
	if err == nil || err.Error() != "it failed: exit status 4: no such pod" {
		t.Error(err)
	}
}

func TestAProgramThatTakesTooLongIsEnded(t *testing.T) {
	_, err := within(time.Millisecond, []string{"sh", "-c", "exec sleep 1000"}, nil, 0)
	if err == nil || err.Error() != "it took longer than 1ms" {
		t.Error(err)
	}
}

func TestAProgramThatWritesTooMuchIsRefused(t *testing.T) {
	_, err := Run([]string{"sh", "-c", "head -c 17000000 /dev/zero"}, nil, 0)
	if err == nil || !strings.Contains(err.Error(), "16777216 bytes") {
		t.Error(err)
	}
}
