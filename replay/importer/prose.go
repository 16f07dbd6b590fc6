package importer

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// The lines around each log in what kubectl cluster-info dump prints, between the lists of two namespaces.
const (
	logStart = "==== START logs"
	logEnd   = "==== END logs"
)

// sentence passes a line between values that begins none, and with it the whole log it may announce.
func (s *splitter) sentence() error {
	start, err := s.text()
	s.prose++
	if !strings.HasPrefix(start, logStart) {
		return err
	}
	s.r.formats[dumpFormat] = true
	for line := ""; err == nil && !strings.HasPrefix(line, logEnd); {
		line, err = s.text()
	}
	return err
}

// text reads one line and returns its beginning. The end of the stream ends a line too.
func (s *splitter) text() (string, error) {
	line, err := s.in.ReadSlice('\n')
	start := string(line[:min(len(line), len(logStart))])
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = s.in.ReadSlice('\n')
	}
	s.line++
	if errors.Is(err, io.EOF) && start != "" {
		err = nil
	}
	return start, err
}
