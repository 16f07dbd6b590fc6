package importer

import "strings"

// The lines around each log in what kubectl cluster-info dump prints, between the lists of two namespaces.
const (
	logStart = "==== START logs"
	logEnd   = "==== END logs"
)

// textBetween passes a line between values that begins none, and with it the whole log it may announce.
func (s *splitter) textBetween() error {
	start, err := s.in.TextLine(len(logStart))
	s.between++
	if !strings.HasPrefix(start, logStart) {
		return err
	}
	s.r.formats[dumpFormat] = true
	for line := ""; err == nil && !strings.HasPrefix(line, logEnd); {
		line, err = s.in.TextLine(len(logStart))
	}
	return err
}
