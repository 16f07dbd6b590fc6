package dynamicresources

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
)

// nameShares gives every share of a device an id that follows from the claim and the place of the share in it, where
// the allocator drew one.
func nameShares(claim *resourcev1.ResourceClaim, allocation *resourcev1.AllocationResult) {
	for i := range allocation.Devices.Results {
		r := &allocation.Devices.Results[i]
		if r.ShareID == nil {
			continue
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", cluster.Key(claim), claim.UID, i))
		sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80 // a random UUID by its looks
		id := types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
		r.ShareID = &id
	}
}

// The API server's rules for generated names.
const (
	generatedDigits = "bcdfghjklmnpqrstvwxz2456789"
	generatedLength = 5
	longestPrefix   = 63 - generatedLength
)

// generatedName is what an object with that generateName is called; it follows from the seed where the API server
// draws.
func generatedName(prefix, seed string) string {
	sum := sha256.Sum256([]byte(prefix + "\x00" + seed))
	n := binary.BigEndian.Uint64(sum[:8])
	name := []byte(prefix[:min(len(prefix), longestPrefix)])
	for range generatedLength {
		name = append(name, generatedDigits[n%uint64(len(generatedDigits))])
		n /= uint64(len(generatedDigits))
	}
	return string(name)
}
