// What a network of tests is made of, as test suites see it.

/** Where the interfaces of a network listen: on free ports of this machine. */
export type NetworkUrls = {
  readonly hub: string
  /** `host:port`. */
  readonly grpc: string
  readonly registry: string
  readonly platform: string
  readonly accounts: string
  /** The front door, with every public interface below its prefix. */
  readonly web: string
  readonly operations: string
  /** Interfaces of later versions. */
  readonly [name: string]: string
}

/** An account of a development network. Everybody may know these keys. All are 0x and hex digits. */
export type NetworkAccount = {
  readonly fid: number
  readonly name: string
  /** The Ethereum address that owns the fid, and its secp256k1 key. */
  readonly custodyAddress: string
  readonly custodyPrivateKey: string
  /** The Ed25519 key that signs messages, and its 32-byte seed. */
  readonly appPublicKey: string
  readonly appPrivateKey: string
}

/** An account of a hub that is forked, with a key of the fork. */
export type ForkedAccount = Pick<NetworkAccount, 'fid' | 'name' | 'appPublicKey' | 'appPrivateKey'>
