// The parts of the server's answers that the pages use.

export type Person = {
  readonly fid: number
  readonly username?: string
  readonly displayName?: string
  readonly pictureUrl?: string
}

export type State = 'pending' | 'approved' | 'completed' | 'denied' | 'failed'

export type KeyRequest = {
  readonly token: string
  readonly state: State
  readonly deeplinkUrl: string
  /** The public URL of the page of this request. */
  readonly approvalUrl?: string
  readonly userFid?: number
  /** Why it failed. */
  readonly reason?: string
}

/** Where accounts are kept: by this server (`ledger`) or on the chain with this id. */
export type AccountsHome = {
  readonly source: 'ledger' | 'chain'
  readonly chainId: number
  /** Of the messages: mainnet, testnet or devnet. */
  readonly network: string
}

/** What an app asks for that wants a key which a message adds. `ttl`: seconds without use after which it ends. */
export type Gasless = { readonly scopes: readonly string[]; readonly ttl: number }

/** Everything to know before an approval. With an account: the user, and what to sign. */
export type Approval = {
  readonly key: string
  readonly app: Person & {
    /** As its profile states; not verified. */
    readonly website?: string
    readonly hasBadge: boolean
  }
  readonly accounts: AccountsHome
  readonly isSponsored: boolean
  readonly gasless?: Gasless
  readonly redirectUrl?: string
  /** Unix seconds of the network, whose clock is not the browser's. */
  readonly now: number
  readonly createdAt: number
  readonly deadline: number
  readonly user?: Person
  readonly keyState?: 'none' | 'active' | 'removed'
  readonly typedData?: TypedData
}

/** A struct under a domain, in the form for wallets: with the struct of the domain among the types. */
export type TypedData = {
  readonly domain: Readonly<Record<string, unknown>> & { readonly chainId?: number | string }
  readonly types: Readonly<Record<string, readonly { name: string; type: string }[]>>
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>> & { readonly deadline: number | string }
}

/** A transaction that the user has to send. */
export type Transaction = {
  readonly chainId: number
  readonly to: string
  readonly data: string
}

/** A key of an account. */
export type Signer = {
  readonly key: string
  /** Unix seconds. */
  readonly addedAt: number
  readonly app?: Person
  /** Of a key that a message added. `expiresAt`: Unix seconds. */
  readonly gasless?: { readonly scopes: readonly string[]; readonly expiresAt: number }
}
