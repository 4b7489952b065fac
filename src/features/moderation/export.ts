import { positionOf, tokenOf } from '../../kernel/http/list-tags.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Storage } from '../../kernel/storage/storage.ts'

/** Messages of one page of an export; a page also ends with the bytes that bound any page. */
const EXPORT_PAGE = 500

const SETS = Object.values(MESSAGE_SETS)

type ExportPage = {
  readonly messages: readonly StoredMessage[]
  /** Where the next page begins; undefined after the last one. */
  readonly next: Uint8Array | undefined
}

/** The next messages of an account, hidden ones too, by kind and time. The token is a kind and a position in it. */
export async function exportPage(
  { messages }: Pick<Storage, 'messages'>,
  fid: number,
  token: Uint8Array | undefined,
): Promise<ExportPage> {
  const list = ['export', fid]
  const given = token && positionOf(list, token)
  for (let step = given?.[0] ?? 0, position = given?.subarray(1); ; step++, position = undefined) {
    const store = SETS[step]
    if (store === undefined) return { messages: [], next: undefined }
    const page = { size: EXPORT_PAGE, token: position?.length ? position : undefined }
    const { items, next } = await messages.listByFid({ fid, store }, page)
    const following = next ? Buffer.concat([Uint8Array.of(step), next]) : nextSet(step)
    if (following === undefined) return { messages: items, next: undefined }
    if (items.length > 0) return { messages: items, next: tokenOf(list, following) }
  }
}

const nextSet = (step: number) => (step + 1 < SETS.length ? Uint8Array.of(step + 1) : undefined)
