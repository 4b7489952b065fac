module client-program

go 1.24.3

require (
	github.com/vrypan/farcaster-go v0.11.0
	github.com/zeebo/blake3 v0.2.4
	google.golang.org/grpc v1.72.2
	google.golang.org/protobuf v1.36.6
)

require (
	github.com/klauspost/cpuid/v2 v2.0.12 // indirect
	golang.org/x/net v0.35.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
	golang.org/x/text v0.22.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20250218202821-56aae31c358a // indirect
)
