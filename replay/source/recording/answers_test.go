package recording_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/recording"
)

func TestAnswersComeBackAsTheyWere(t *testing.T) {
	for name, packing := range map[string]recording.Packing{"compressed": recording.Compressed, "plain": recording.Plain} {
		t.Run(name, func(t *testing.T) {
			begin := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
			var file bytes.Buffer
			w, err := recording.NewWriter(&file, recording.Header{Start: begin}, recording.Options{Packing: packing})
			if err != nil {
				t.Fatal(err)
			}
			event := cluster.Event{Action: cluster.Add, Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}}
			if err := w.Write(begin, event); err != nil {
				t.Fatal(err)
			}
			want := []string{`{"cycle":1}`, `{"cycle":2,"text":"` + strings.Repeat("x", 3<<20) + `"}`, `{}`}
			for _, text := range want {
				if err := w.Answer([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := recording.NewReader(bytes.NewReader(file.Bytes()), "test")
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for range 2 {
				entries, err := r.ReadAll()
				if err != nil || len(entries) != 1 || len(r.Problems()) > 0 {
					t.Fatalf("%d events, %v, %v", len(entries), err, r.Problems())
				}
				var got []string
				for _, a := range r.Answers() {
					got = append(got, string(a))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if err := r.Seek(0); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestNoEventComesAfterAnAnswer(t *testing.T) {
	var file bytes.Buffer
	w, err := recording.NewWriter(&file, recording.Header{}, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Answer([]byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	event := cluster.Event{Action: cluster.Add, Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}}
	if err := w.Write(time.Unix(0, 0), event); err == nil ||
		err.Error() != "recording: event 0 (Node Add n1) comes after an answer" {
		t.Errorf("got %v", err)
	}
}
