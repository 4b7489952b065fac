import type { Accounts } from '../../kernel/accounts/port.ts'
import { unknownFid } from '../../kernel/platform/unknown.ts'
import { utf8Length } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_URL_BYTES } from '../../kernel/protocol/sizes.ts'

// The rules of requests that a JSON schema cannot state. Those of single texts follow from the table.

/** Throws unless a cast can carry the url as its parent: the protocol limits it in bytes, not in characters. */
export function checkUrl(url: string, field = 'url'): void {
  if (utf8Length(url) <= MAX_URL_BYTES) return
  const text = `${field} must be at most ${MAX_URL_BYTES} bytes`
  throw new Rejection('bad_request.validation_failure', text, { field })
}

/** Throws unless the fid is registered. */
export async function checkFid(
  accounts: Pick<Accounts, 'custodyOf'>,
  fid: number,
  field: string,
): Promise<void> {
  if (await accounts.custodyOf(fid)) return
  throw unknownFid(fid, field)
}
