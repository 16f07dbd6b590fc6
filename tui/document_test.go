package tui_test

import (
	"path/filepath"
	"testing"

	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/tui/screen"
)

func TestKeysDocumentIsFresh(t *testing.T) {
	golden.Is(t, filepath.Join("..", "docs", "keys.md"), screen.KeysDocument())
}
