package disk

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// Log is a file that lines are added to, and that never grows without end: before it is larger than a number of bytes
// it becomes FILE.1, in place of the one that had this name, and a new one begins. So there are two at the most. It is
// for its owner alone. Nothing is made before the first line. Several goroutines may use it, and several processes one
// file: a line is written whole.
type Log struct {
	path string
	most int64 // bytes

	mu    sync.Mutex
	file  *os.File // nil: not opened yet
	lines int
}

// NewLog is a log in a file of at most so many bytes.
func NewLog(path string, most int64) *Log { return &Log{path: path, most: most} }

// Path is where the file is, or will be.
func (l *Log) Path() string { return l.path }

// Lines is how many were added by this process.
func (l *Log) Lines() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines
}

// Open makes the file, with its folder, so that a file that cannot be written is reported at once.
func (l *Log) Open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open()
}

func (l *Log) open() (err error) {
	if l.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	l.file, err = os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return err
}

// Write adds a line.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.open(); err != nil {
		return 0, err
	}
	if err := l.makeRoom(int64(len(line))); err != nil {
		return 0, err
	}
	l.lines++
	return l.file.Write(line)
}

// makeRoom begins a new file when so many bytes have no room in this one. Another process may have done so already;
// then its new one is taken.
func (l *Log) makeRoom(bytes int64) error {
	now, err := l.file.Stat()
	if err != nil || now.Size() == 0 || now.Size()+bytes <= l.most {
		return err
	}
	there, err := os.Stat(l.path)
	taken := err != nil || !os.SameFile(now, there)
	err = l.file.Close() // before it is moved: some systems move no file that is open
	l.file = nil
	if !taken {
		err = errors.Join(err, os.Rename(l.path, l.path+".1"))
	}
	if err != nil {
		return err
	}
	return l.open()
}
