import type { StoredKeyRequest } from '../key-requests/port.ts'

// What signers need from others. app.ts connects them.

/** A signed key request as an app sends it; the key is 0x hex. */
export type KeyRequest = {
  readonly key: string
  readonly requestFid: number
  readonly deadline: number
  readonly signature: string
  readonly redirectUrl?: string
  readonly sponsorship?: { readonly sponsorFid: number; readonly signature: string }
  /** Asks for a gasless key. */
  readonly gasless?: { readonly scopes: string[]; readonly ttl: number }
}

export type KeyRequestCalls = {
  /** Resolves to the token of the new request, in hex. */
  createKeyRequest(request: KeyRequest): Promise<string>
  /** The request with this token, completed if the hub has its key; undefined once it is forgotten. */
  keyRequest(token: string): Promise<StoredKeyRequest | undefined>
  /** Where a user approves a request in a browser. */
  approvalUrl(token: string): string
}

/** Sign-in messages that users sign for an app, by its uuid. */
export type SignInPort = {
  nonce(app: string): Promise<string>
  fidOf(app: string, signed: { message: string; signature: Uint8Array }): Promise<number>
}
