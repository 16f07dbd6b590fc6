// Nothing: genproto of that time has these packages itself.
module google.golang.org/genproto/googleapis/rpc

go 1.26.0
