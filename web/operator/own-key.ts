import { type BrowserKey, findKey } from '../client/act/key-store.ts'
import { sessionFid } from '../client/session/session-fid.ts'

export { tokenOf } from '../client/act/platform.ts'

/** The key of the account that this browser acts as. */
export async function findOwnKey(): Promise<BrowserKey | undefined> {
  const fid = sessionFid()
  return fid === undefined ? undefined : findKey(fid)
}
