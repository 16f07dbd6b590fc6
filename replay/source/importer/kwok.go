package importer

import (
	"regexp"
	"strconv"
	"time"
)

// offsets are the times of a kwok recording: nanoseconds since it began, which may lie before that.
var offsets = regexp.MustCompile(`\$\(time-offset-nanosecond (-?\d+)\)`)

// kwokBegan is when a kwok recording began, which the recording does not have.
var kwokBegan = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// withTimes puts times in the place of offsets; the result is raw itself where there are none.
func withTimes(raw []byte) []byte {
	return offsets.ReplaceAllFunc(raw, func(offset []byte) []byte {
		n, err := strconv.ParseInt(string(offsets.FindSubmatch(offset)[1]), 10, 64)
		if err != nil {
			return offset
		}
		return []byte(kwokBegan.Add(time.Duration(n)).Format(time.RFC3339))
	})
}

// whyPatch is why the second part of a kwok recording is not played.
const whyPatch = "what a kwok recording says happened after its snapshot is not played"
