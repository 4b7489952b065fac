import { base64url, hexOf, utf8Of } from '../../shared/bytes.ts'
import type { BrowserKey } from './key-store.ts'

/** A JSON Farcaster Signature: each part in base64url. */
export type Jfs = {
  readonly header: string
  readonly payload: string
  readonly signature: string
}

/** Signs JSON text with the key of the account in this browser. */
export const signJfs = (key: BrowserKey, text: string): Promise<Jfs> =>
  signEncoded(key, base64url(utf8Of(text)))

/** The same for a payload that is in base64url already. */
export async function signEncoded(key: BrowserKey, payload: string): Promise<Jfs> {
  const head = { fid: key.fid, type: 'app_key', key: hexOf(key.publicKey) }
  const header = base64url(utf8Of(JSON.stringify(head)))
  const signature = base64url(await key.sign(utf8Of(`${header}.${payload}`)))
  return { header, payload, signature }
}
