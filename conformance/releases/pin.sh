#!/bin/sh
# pin.sh 1.33.13 [kube-scheduler=0.33.12 ...] writes v1_33/go.mod: what kube-scheduler of that patch links, at the
# versions it was released with, where ../go.mod would ask for newer ones. A staging module that the proxy does not
# serve at that patch is named with another.
set -eu
cd "$(dirname "$0")"
version=$1
shift
minor=${version#1.} minor=${minor%%.*}
module=v1_$minor
mkdir -p "$module"
theirs=$(cd "$module" && GOFLAGS=-mod=mod go mod download -json "k8s.io/kubernetes@v$version" |
  sed -n 's/^\t"GoMod": "\(.*\)",*$/\1/p')
# Before 1.20 a release replaces each of its dependencies by the version it was released with; those replacements are
# taken over, all of them. Two modules have gone since: vbom.ml/util has another home, and the packages that genproto
# has given away are still in the genproto of that time.
if [ "$minor" -lt 20 ]; then
  mkdir -p "$module/norpc"
  cat > "$module/norpc/go.mod" <<EOF
// Nothing: genproto of that time has these packages itself.
module google.golang.org/genproto/googleapis/rpc

$(sed -n 's/^go /go /p' ../go.mod)
EOF
  {
    cat <<EOF
// The oracle of kube-scheduler 1.$minor: linked with k8s.io/kubernetes v$version. Written by pin.sh.
module github.com/schedstep/schedstep/conformance/releases/$module

$(sed -n 's/^go /go /p' ../go.mod)

require (
	github.com/schedstep/schedstep/conformance v0.0.0
	github.com/schedstep/schedstep/conformance/releases/early v0.0.0
	k8s.io/kubernetes v$version
)

replace (
	github.com/schedstep/schedstep => ../../..
	github.com/schedstep/schedstep/conformance => ../..
	github.com/schedstep/schedstep/conformance/releases/early => ../early
	google.golang.org/genproto/googleapis/rpc => ./norpc
	k8s.io/kubernetes => k8s.io/kubernetes v$version
EOF
    awk -v staging="v0.${version#1.}" '
      /^replace [(]/ { inside = 1; next }
      /^[)]/ { inside = 0 }
      !inside { next }
      $1 == "vbom.ml/util" { $3 = "github.com/fvbommel/util"; $4 = "v0.0.0-20160121211510-db5cfe13f5cc" }
      $3 ~ /^[.]\/staging\// { $3 = $1; $4 = staging }
      { printf "\t%s => %s %s\n", $1, $3, $4 }
    ' "$theirs"
    echo ")"
  } > "$module/go.mod"
  cd "$module"
  GOFLAGS=-mod=mod go build -tags "$(seq -s, -f before_1_%g $((minor + 1)) 37)" -o /dev/null .
  exit
fi
{
  cat <<EOF
// The oracle of kube-scheduler 1.$minor: conformance/oracle linked with k8s.io/kubernetes v$version. Written by pin.sh.
module github.com/schedstep/schedstep/conformance/releases/$module

$(sed -n 's/^go /go /p' ../go.mod)

require github.com/schedstep/schedstep/conformance v0.0.0

replace (
	github.com/schedstep/schedstep => ../../..
	github.com/schedstep/schedstep/conformance => ../..
	k8s.io/kubernetes => k8s.io/kubernetes v$version
EOF
  awk -v staging="v0.${version#1.}" -v named="$*" '
    BEGIN { n = split(named, pairs, " "); for (i = 1; i <= n; i++) { split(pairs[i], p, "="); other["k8s.io/" p[1]] = "v" p[2] } }
    $1 == "require" && $2 == "(" { inside = 1; next }
    $1 == ")" { inside = 0 }
    FILENAME == "../go.mod" { if (inside && NF >= 2) needed[$1]; next }
    !inside || NF < 2 || !($1 in needed || $2 == "v0.0.0") { next }
    { v = $2; if (v == "v0.0.0") v = staging; if ($1 in other) v = other[$1]; printf "\t%s => %s %s\n", $1, $1, v }
  ' ../go.mod "$theirs"
  echo ")"
} > "$module/go.mod"
cd "$module"
# The files that other releases are compiled from are looked at too, and import what this one does not have.
GOFLAGS= go mod tidy -e 2>/dev/null
