import Type from 'typebox'

// The shapes of the hub's answers, as its documentation shows them.

export const MessageSchema = Type.Object(
  {
    data: Type.Object(
      {
        type: Type.String({ examples: ['MESSAGE_TYPE_CAST_ADD'] }),
        fid: Type.Integer(),
        timestamp: Type.Integer({ description: 'Seconds since 2021-01-01T00:00:00Z' }),
        network: Type.String({ examples: ['SOCIAL_NETWORK_DEVNET'] }),
      },
      { additionalProperties: true, description: 'with one body, as its type says' },
    ),
    hash: Type.String({ description: '0x hex, 20 bytes of BLAKE3 over the data bytes' }),
    hashScheme: Type.Literal('HASH_SCHEME_BLAKE3'),
    signature: Type.String({ description: 'base64, Ed25519 over the hash' }),
    signatureScheme: Type.Literal('SIGNATURE_SCHEME_ED25519'),
    signer: Type.String({ description: '0x hex, 32-byte Ed25519 public key' }),
    dataBytes: Type.Optional(
      Type.String({ description: 'base64; present when the message came with data_bytes' }),
    ),
  },
  { title: 'Message' },
)
export const MessageList = Type.Object({
  messages: Type.Array(MessageSchema),
  nextPageToken: Type.String({ description: 'empty on the last page' }),
})
export const NameProof = Type.Object(
  {
    timestamp: Type.Integer({ description: 'Unix seconds' }),
    name: Type.String(),
    owner: Type.String(),
    signature: Type.String(),
    fid: Type.Integer(),
    type: Type.String({ examples: ['USERNAME_TYPE_FNAME'] }),
  },
  { title: 'UserNameProof' },
)
export const ChainEvent = Type.Object(
  {
    type: Type.String(),
    chainId: Type.Integer(),
    blockNumber: Type.Integer(),
    fid: Type.Integer(),
  },
  { title: 'OnChainEvent', additionalProperties: true },
)
export const ChainEventList = Type.Object({
  events: Type.Array(ChainEvent),
  nextPageToken: Type.String(),
})
export const HubEvent = Type.Object(
  { type: Type.String(), id: Type.Integer(), timestamp: Type.Integer() },
  { title: 'HubEvent', additionalProperties: true },
)
