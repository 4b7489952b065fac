// farcaster-go signs a cast, submits it and reads it back, beside the description of the hub.
package main

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/vrypan/farcaster-go/farcaster"
	"github.com/zeebo/blake3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
)

// Unix seconds of the epoch of the protocol.
const epoch = 1609459200

type world struct {
	Grpc string `json:"grpc"`
	Fid  uint64 `json:"fid"`
	Seed string `json:"seed"`
}

func main() {
	var given world
	must(json.Unmarshal([]byte(os.Args[1]), &given))
	seed, err := hex.DecodeString(strings.TrimPrefix(given.Seed, "0x"))
	must(err)
	connection, err := grpc.NewClient(given.Grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	defer connection.Close()
	hub := farcaster.NewHubServiceClient(connection)
	ctx := context.Background()

	info, err := hub.GetInfo(ctx, &farcaster.GetInfoRequest{})
	must(err)
	stored, err := hub.SubmitMessage(ctx, signed(given.Fid, ed25519.NewKeyFromSeed(seed), "from farcaster-go"))
	must(err)
	cast, err := hub.GetCast(ctx, &farcaster.CastId{Fid: given.Fid, Hash: stored.Hash})
	must(err)
	casts, err := hub.GetCastsByFid(ctx, &farcaster.FidRequest{Fid: given.Fid})
	must(err)
	isListed := false
	for _, one := range casts.Messages {
		isListed = isListed || string(one.Hash) == string(stored.Hash)
	}
	printed, err := json.Marshal(map[string]any{
		"version": info.Version,
		"text":    cast.Data.GetCastAddBody().Text,
		"listed":  isListed,
	})
	must(err)
	fmt.Println(string(printed))
}

func signed(fid uint64, key ed25519.PrivateKey, text string) *farcaster.Message {
	data, err := proto.Marshal(&farcaster.MessageData{
		Type:      farcaster.MessageType_MESSAGE_TYPE_CAST_ADD,
		Fid:       fid,
		Timestamp: uint32(time.Now().Unix() - epoch),
		Network:   farcaster.FarcasterNetwork_FARCASTER_NETWORK_DEVNET,
		Body:      &farcaster.MessageData_CastAddBody{CastAddBody: &farcaster.CastAddBody{Text: text}},
	})
	must(err)
	full := blake3.Sum256(data)
	hash := full[:20]
	return &farcaster.Message{
		DataBytes:       data,
		Hash:            hash,
		HashScheme:      farcaster.HashScheme_HASH_SCHEME_BLAKE3,
		Signature:       ed25519.Sign(key, hash),
		SignatureScheme: farcaster.SignatureScheme_SIGNATURE_SCHEME_ED25519,
		Signer:          key.Public().(ed25519.PublicKey),
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
