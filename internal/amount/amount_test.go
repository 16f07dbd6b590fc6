package amount_test

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/internal/amount"
)

func TestEndlessQuantitiesOfAnObjectAreFoundBeforeItIsDecoded(t *testing.T) {
	pod := reflect.TypeFor[*corev1.Pod]()
	for raw, want := range map[string]string{
		`{"metadata":{"labels":{"commit":"12e34567"},"name":"1e99999"}}`:             "",
		`{"spec":{"containers":[{},{"resources":{"requests":{"cpu":"1e2"}}}]}}`:      "",
		`{"spec":{"containers":[{},{"resources":{"requests":{"cpu":"1e99999"}}}]}}`:  "spec.containers[1].resources.requests.cpu: ",
		`{"Spec":{"containers":[{"resources":{"limits":{"a/b":1E-0099999 }}}]}}`:     "Spec.containers[0].resources.limits.a/b: ",
		`{"spec":{"volumes":[{"emptyDir":{"sizeLimit":"-1.5e+123456"}}]}}`:           "spec.volumes[0].emptyDir.sizeLimit: ",
		`{"spec":{"overhead":{"cpu":"1e99999"`:                                       "",
		`{"spec":{"containers":"1e99999","volumes":{"emptyDir":["1e99999"]}}}`:       "",
		`{"metadata":{"annotations":{"image":"sha256:12e345678","day":"2e34567x"}}}`: "",
	} {
		got := ""
		if err := amount.Check([]byte(raw), pod); err != nil {
			got = err.Error()
		}
		if (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

// TestAQuantityOfEndlessDigitsIsRefused: the first of these would take gigabytes, and hours.
func TestAQuantityOfEndlessDigitsIsRefused(t *testing.T) {
	for _, text := range []string{"1e-2147483648", "9999999999999999999999e100000000", "1E+0099999", "x", ""} {
		if q, err := amount.Parse(text); err == nil {
			t.Errorf("%q is %s", text, q.String())
		}
	}
	amounts := map[string]int64{"2": 2, "4Gi": 4 << 30, "1E": 1e18, "1e3": 1000, "12e-0001": 2, "1e-9999": 1}
	for text, want := range amounts {
		if q, err := amount.Parse(text); err != nil || q.Value() != want {
			t.Errorf("%q is %d, want %d: %v", text, q.Value(), want, err)
		}
	}
}
