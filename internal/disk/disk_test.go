package disk_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/schedstep/schedstep/internal/disk"
)

func writes(text string, err error) func(io.Writer) error {
	return func(to io.Writer) error {
		_, failed := io.WriteString(to, text)
		return errors.Join(failed, err)
	}
}

func TestAFileIsReplacedWholeOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "web.session")
	link := path + ".link"
	broken := errors.New("no more")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	if err := disk.Replace(link, 0o644, writes("half", broken)); !errors.Is(err, broken) {
		t.Errorf("a write that fails: %v", err)
	}
	for _, want := range []string{"old", "new"} {
		text, err := os.ReadFile(path)
		info, gone := os.Stat(path)
		if errors.Join(err, gone) != nil || string(text) != want || info.Mode() != 0o600 {
			t.Errorf("got %q %v, want %q with its old mode; %v %v", text, info.Mode(), want, err, gone)
		}
		if want == "old" {
			if err := disk.Replace(link, 0o644, writes("new", nil)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if all, _ := filepath.Glob(path + "*"); len(all) != 2 {
		t.Errorf("left behind: %q", all)
	}
}

func TestAnErrorIsBareWithoutItsPath(t *testing.T) {
	_, err := os.Open("/nowhere/at/all")
	if got := disk.Bare(err); !errors.Is(got, fs.ErrNotExist) || got.Error() != "no such file or directory" {
		t.Errorf("%v", got)
	}
}

func TestAFolderIsWritableOrSaysWhyNot(t *testing.T) {
	folder := t.TempDir()
	if err := disk.Writable(folder); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if err := disk.Writable(filepath.Join(folder, "nix")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestBytesHaveAtLeastTwoDigitsOfTheirUnit(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 10_239: "10239 B", 10_240: "10 KiB", 304_128: "297 KiB", 71_056 << 20: "69 GiB", 30 << 50: "31457280 GiB",
	} {
		if got := disk.Bytes(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}
